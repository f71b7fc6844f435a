#include "emu/command/view.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "host/attach.h"
#include "host/daemon.h"
#include "host/region.h"
#include "host/region_dax.h"
#include "host/wait.h"

enum {
	SILENCE_NS = 10 * NREG_BEAT_MS * 1000 * 1000,
};

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

static int map(struct view *view, const char *path, bool may_write, struct nhost_error *error)
{
	uint64_t whole = 0;
	int result = measure(view->fd, path, &whole, &view->nbytes, error);

	if (result)
		return result;
	view->region = mmap(NULL, view->nbytes, PROT_READ, MAP_SHARED, view->fd, 0);
	if (view->region == MAP_FAILED)
		return nhost_fail(error, errno, "%s: cannot map it: %s", path, strerror(errno));
	if (may_write)
		view->writable =
			mmap(NULL, view->nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, view->fd, 0);
	if (view->writable == MAP_FAILED)
		view->writable = NULL;
	result = nhost_attach_read(view->region, whole, view->fd, 0, &view->identity, error);
	if (!(view->identity.capabilities & (NREG_COHERENT | NREG_MODELLED_CACHE)))
		view->caches = nhost_caches_of_processor();
	return result;
}

/* Who may only read it hears less. */
static int open_region(const char *path, bool *may_write)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	*may_write = fd >= 0;
	return fd >= 0 ? fd : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

static int open_one(const char *kind, const char *path, int program, struct view *view,
	struct nhost_error *error)
{
	bool may_write;
	int result;

	*view = (struct view){
		.program = program, .region = MAP_FAILED, .fd = open_region(path, &may_write)};
	if (view->fd < 0)
		return nhost_fail(error, errno, "%s: %s", path, strerror(errno));
	snprintf(view->name, sizeof view->name, "%s:%s", kind, path);
	result = map(view, path, may_write, error);
	if (result)
		view_close(view);
	return result;
}

void view_close(struct view *view)
{
	if (view->region != MAP_FAILED)
		munmap(view->region, view->nbytes);
	if (view->writable)
		munmap(view->writable, view->nbytes);
	close(view->fd);
}

/* ---- those of a supervisor ------------------------------------------------------------------- */

static int open_clients(int socket, struct view *views)
{
	struct nhost_daemon_client client;
	struct nhost_error ignored; /* one that has ended meanwhile */
	int count = 0;

	while (count < VIEWS_MAX && recv(socket, &client, sizeof client, 0) == sizeof client) {
		char name[64];

		snprintf(name, sizeof name, "/proc/%d/fd/%d", client.worker, client.region);
		if (!open_one("file", name, client.pid, &views[count], &ignored))
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

/* Of the name of a kind; NULL: devices of that kind cannot be looked at. */
static const char *text_after(const char *name, const char *kind)
{
	size_t nbytes = strlen(kind);

	if (strncmp(name, kind, nbytes) != 0 || (name[nbytes] && name[nbytes] != ':'))
		return NULL;
	return name + nbytes + (name[nbytes] == ':');
}

int view_open(const char *name, struct view *views, struct nhost_error *error)
{
	static const char *const kinds[] = {"file", "dax"};
	const char *text = text_after(name, "daemon");
	struct nhost_options options;
	int result;

	if (text) {
		result = nhost_options_parse(text, NHOST_PLACE_OR_NONE, false, &options, error);
		return result ? result : open_daemon(options.place, views, error);
	}
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		text = text_after(name, kinds[i]);
		if (!text)
			continue;
		result = nhost_options_parse(text, NHOST_PLACE, true, &options, error);
		if (!result)
			result = open_one(kinds[i], options.place, 0, views, error);
		return result ? result : 1;
	}
	return nhost_fail(error, EINVAL,
		"%s: only devices outside their programs can be looked at: file:PATH, dax:PATH, "
		"daemon, daemon:SOCKET",
		name);
}

/* ---- what is there --------------------------------------------------------------------------- */

const char *view_owner(const struct view *view)
{
	const struct nreg_offer *offer = nreg_offer(view->region);
	uint64_t owner = nchan_hear(view->caches, &offer->owner);

	if (!owner)
		return "free";
	if (nchan_load(&offer->doubts))
		return "a suspect program";
	return owner & NREG_CLAIM_IS_NEAR ? "a program" : "a program of another machine";
}

bool view_is_in_use(const struct view *view)
{
	return nchan_hear(view->caches, &nreg_offer(view->region)->owner) != 0;
}

/* A device of this machine holds a lock while it lives; but for those of a supervisor. */
bool view_has_ended(const struct view *view)
{
	return !view->program && view->identity.machine &&
	       view->identity.machine == nhost_machine() &&
	       !nhost_region_is_locked(view->fd, NHOST_LOCK_DEVICE);
}

const char *view_device_name(enum view_device device)
{
	static const char *const names[] = {
		[VIEW_SERVES] = "serves",
		[VIEW_SILENT] = "silent",
		[VIEW_ENDED] = "ended",
	};

	return names[device];
}

enum view_device view_device(const struct view *view)
{
	const uint64_t *heartbeat = &nreg_offer(view->region)->heartbeat;
	const struct timespec nap = {.tv_nsec = NREG_BEAT_MS * 1000000 / 5};
	uint64_t before = nchan_hear(view->caches, heartbeat);
	int64_t until_ns = nhost_clock_ns() + SILENCE_NS;

	while (!view_has_ended(view)) {
		if (nchan_hear(view->caches, heartbeat) != before)
			return VIEW_SERVES;
		if (nhost_clock_ns() >= until_ns)
			return VIEW_SILENT;
		nanosleep(&nap, NULL);
	}
	return VIEW_ENDED;
}

struct view_counts view_core(const struct view *view, unsigned core)
{
	const struct nreg_core *shared = nreg_core(view->region, core);

	nchan_refresh(view->caches, &shared->status, sizeof(shared->status));
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
