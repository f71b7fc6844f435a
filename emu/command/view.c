#include "emu/command/view.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "host/attach.h"
#include "host/daemon.h"
#include "host/region_dax.h"

/* ---- one region ------------------------------------------------------------------------------ */

/* How large the whole is, and how much of it a mapping must have at least. */
static int measure(
	int fd, const char *path, uint64_t *whole, uint64_t *piece, struct nhost_error *error)
{
	struct stat status;
	struct nhost_dax dax;
	char folder[64];
	int result;

	if (fstat(fd, &status))
		return nhost_fail(error, errno, "%s: %s", path, strerror(errno));
	*whole = (uint64_t)status.st_size;
	*piece = NREG_ALIGN;
	if (S_ISCHR(status.st_mode)) {
		snprintf(folder, sizeof folder, "/sys/dev/char/%u:%u", major(status.st_rdev),
			minor(status.st_rdev));
		result = nhost_dax_read(folder, &dax, error);
		*whole = dax.nbytes;
		*piece = dax.align > NREG_ALIGN ? dax.align : NREG_ALIGN;
		return result;
	}
	if (!S_ISREG(status.st_mode) || *whole < *piece)
		return nhost_fail(error, EPROTO, "%s is no region: is it served?", path);
	return 0;
}

static int map(int fd, const char *path, struct view *view, struct nhost_error *error)
{
	uint64_t whole = 0;
	int result = measure(fd, path, &whole, &view->nbytes, error);

	if (result)
		return result;
	view->region = mmap(NULL, view->nbytes, PROT_READ, MAP_SHARED, fd, 0);
	if (view->region == MAP_FAILED)
		return nhost_fail(error, errno, "%s: cannot map it: %s", path, strerror(errno));
	result = nhost_attach_read(view->region, whole, -1, 0, &view->identity, error);
	if (result)
		view_close(view);
	return result;
}

/* `name` is file:PATH or dax:PATH. */
static int open_one(const char *name, int program, struct view *view, struct nhost_error *error)
{
	const char *path = strchr(name, ':') + 1;
	int result, fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return nhost_fail(error, errno, "%s: %s", path, strerror(errno));
	*view = (struct view){.program = program};
	snprintf(view->name, sizeof view->name, "%s", name);
	result = map(fd, path, view, error);
	close(fd);
	return result;
}

void view_close(struct view *view)
{
	munmap(view->region, view->nbytes);
}

/* ---- those of a supervisor ------------------------------------------------------------------- */

static int open_clients(int socket, struct view *views)
{
	struct nhost_daemon_client client;
	struct nhost_error ignored; /* one that has ended meanwhile */
	int count = 0;

	while (count < VIEWS_MAX && recv(socket, &client, sizeof client, 0) == sizeof client) {
		char name[64];

		snprintf(name, sizeof name, "file:/proc/%d/fd/%d", client.worker, client.region);
		if (!open_one(name, client.pid, &views[count], &ignored))
			count++;
	}
	return count;
}

static int open_daemon(const char *place, struct view *views, struct nhost_error *error)
{
	const struct nhost_daemon_request request = {
		.magic = NHOST_DAEMON_MAGIC, .ask = NHOST_ASK_STATUS};
	struct nhost_daemon_reply reply;
	int socket = nhost_daemon_connect(place, error);
	int result;

	if (socket < 0)
		return socket;
	result = nhost_daemon_ask(socket, &request, NULL, 0, &reply, error);
	if (!result)
		result = open_clients(socket, views);
	close(socket);
	return result;
}

int view_open(const char *name, struct view *views, struct nhost_error *error)
{
	int result;

	if (!strcmp(name, "daemon") || !strncmp(name, "daemon:", 7))
		return open_daemon(name[6] ? name + 7 : "", views, error);
	if (strncmp(name, "file:", 5) && strncmp(name, "dax:", 4))
		return nhost_fail(error, EINVAL,
			"%s: only devices outside their programs can be looked at: file:PATH, dax:PATH, "
			"daemon, daemon:SOCKET",
			name);
	result = open_one(name, 0, views, error);
	return result ? result : 1;
}

/* ---- what is there --------------------------------------------------------------------------- */

const char *view_owner(const struct view *view)
{
	const struct nreg_offer *offer = nreg_offer(view->region);
	uint64_t owner = nchan_load(&offer->owner);

	if (!owner)
		return "free";
	if (nchan_load(&offer->doubts))
		return "a suspect program";
	return owner & NREG_CLAIM_IS_NEAR ? "a program" : "a program of another machine";
}

struct view_counts view_core(const struct view *view, unsigned core)
{
	const struct nreg_core *shared = nreg_core(view->region, core);

	return (struct view_counts){
		.alive = nchan_load(&shared->status.alive),
		.spawns = nchan_load(&shared->status.spawns),
		.switches = nchan_load(&shared->status.switches),
		.far_read = nchan_load(&shared->status.far.read),
		.far_written = nchan_load(&shared->status.far.written),
		.log_dropped = nchan_load(&shared->status.log_dropped),
		.running = nchan_load(&shared->status.running),
	};
}

struct view_counts view_sum(const struct view *view)
{
	struct view_counts sum = {0};

	for (unsigned core = 0; core < view->identity.core_count; core++) {
		struct view_counts one = view_core(view, core);

		sum.alive += one.alive;
		sum.spawns += one.spawns;
		sum.switches += one.switches;
		sum.far_read += one.far_read;
		sum.far_written += one.far_written;
		sum.log_dropped += one.log_dropped;
	}
	return sum;
}

void view_json_string(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;

		if (byte == '"' || byte == '\\')
			fprintf(out, "\\%c", byte);
		else if (byte < ' ' || byte >= 0x7f)
			fprintf(out, "\\u%04x", byte);
		else
			fputc(byte, out);
	}
	fputc('"', out);
}
