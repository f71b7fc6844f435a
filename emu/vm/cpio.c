#include "emu/vm/cpio.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	ALIGN = 4,
	MODE_FILE = S_IFREG | 0644,
	MODE_FOLDER = S_IFDIR | 0755,
	MODE_LINK = S_IFLNK | 0777,
};

static void note(struct vm_cpio *cpio, int error)
{
	if (!cpio->error)
		cpio->error = error;
}

static void put(struct vm_cpio *cpio, const void *bytes, size_t nbytes)
{
	if (nbytes && fwrite(bytes, 1, nbytes, cpio->file) != nbytes)
		note(cpio, errno ? -errno : -EIO);
}

static void pad(struct vm_cpio *cpio, size_t nbytes)
{
	static const char zeros[ALIGN];

	put(cpio, zeros, (ALIGN - nbytes % ALIGN) % ALIGN);
}

static void put_header(struct vm_cpio *cpio, const char *name, unsigned mode, size_t nbytes)
{
	size_t name_nbytes = strlen(name) + 1;
	char header[6 + 13 * 8 + 1];
	int length = snprintf(header, sizeof header,
		"070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X", ++cpio->entries, mode,
		0u, 0u, 1u, 0u, (unsigned)nbytes, 0u, 0u, 0u, 0u, (unsigned)name_nbytes, 0u);

	put(cpio, header, (size_t)length);
	put(cpio, name, name_nbytes);
	pad(cpio, (size_t)length + name_nbytes);
}

static void put_entry(
	struct vm_cpio *cpio, const char *path, unsigned mode, const void *bytes, size_t nbytes)
{
	put_header(cpio, path + 1, mode, nbytes);
	put(cpio, bytes, nbytes);
	pad(cpio, nbytes);
}

void vm_cpio_folder(struct vm_cpio *cpio, const char *path)
{
	put_entry(cpio, path, MODE_FOLDER, "", 0);
}

void vm_cpio_link(struct vm_cpio *cpio, const char *path, const char *target)
{
	put_entry(cpio, path, MODE_LINK, target, strlen(target));
}

void vm_cpio_bytes(struct vm_cpio *cpio, const char *path, const void *bytes, size_t nbytes)
{
	put_entry(cpio, path, MODE_FILE, bytes, nbytes);
}

/* Those that are there already stay as they are. */
void vm_cpio_parents(struct vm_cpio *cpio, const char *path)
{
	char folder[4096];

	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		size_t length = (size_t)(slash - path);

		if (length >= sizeof folder)
			return;
		memcpy(folder, path, length);
		folder[length] = '\0';
		vm_cpio_folder(cpio, folder);
	}
}

/* Exactly so many bytes, whatever happens to the file meanwhile. */
static void copy(struct vm_cpio *cpio, int fd, size_t nbytes)
{
	static char buffer[1 << 16];

	while (nbytes) {
		size_t wanted = nbytes < sizeof buffer ? nbytes : sizeof buffer;
		ssize_t got = read(fd, buffer, wanted);

		if (got <= 0) {
			note(cpio, got ? -errno : -EIO);
			return;
		}
		put(cpio, buffer, (size_t)got);
		nbytes -= (size_t)got;
	}
}

int vm_cpio_file(struct vm_cpio *cpio, const char *path, const char *from)
{
	int fd = open(from, O_RDONLY | O_CLOEXEC);
	int error = fd < 0 ? -errno : 0;
	struct stat status;

	if (fd >= 0 && fstat(fd, &status))
		error = -errno;
	else if (fd >= 0 && !S_ISREG(status.st_mode))
		error = -EINVAL;
	else if (fd >= 0 && status.st_size > UINT32_MAX)
		error = -EFBIG;
	if (!error) {
		put_header(
			cpio, path + 1, S_IFREG | (status.st_mode & 0777), (size_t)status.st_size);
		copy(cpio, fd, (size_t)status.st_size);
		pad(cpio, (size_t)status.st_size);
	}
	if (fd >= 0)
		close(fd);
	if (error)
		note(cpio, error);
	return error;
}

int vm_cpio_end(struct vm_cpio *cpio)
{
	put_entry(cpio, "/TRAILER!!!", 0, "", 0);
	if (fflush(cpio->file))
		note(cpio, -errno);
	return cpio->error;
}
