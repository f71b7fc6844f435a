/*
 * init.c - the first program of the guest, and all that runs there beside the user's: it makes far
 * memory usable, runs one program, tells how it ended and turns the machine off.
 *
 * What to do lies in files below /nearside (emu/vm/initramfs.c writes them). The guest's virtio
 * ports are named for what they carry; "control" tells the host lines of text:
 *
 *     progress WORDS     it goes on
 *     failed WORDS       it does not
 *     started            the program runs
 *     exit CODE          it has ended
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emu/vm/guest/guest.h"

static int control = -1;

static void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void tell(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vdprintf(control >= 0 ? control : STDERR_FILENO, format, arguments);
	va_end(arguments);
}

static _Noreturn void turn_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

_Noreturn void guest_fail(const char *what, const char *name)
{
	tell("failed %s %s: %s\n", what, name, strerror(errno));
	turn_off();
}

void guest_progress(const char *words)
{
	tell("progress %s\n", words);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void mount_at(const char *kind, const char *folder)
{
	mkdir(folder, 0755);
	if (mount(kind, folder, kind, 0, NULL) && errno != EBUSY)
		guest_fail("cannot mount", folder);
}

static void mount_all(void)
{
	mount_at("proc", "/proc");
	mount_at("sysfs", "/sys");
	mount_at("devtmpfs", "/dev");
	mount_at("tmpfs", "/dev/shm");
	chmod("/tmp", 01777); /* may hold files of the host already */
}

/* A whole file as a string, or NULL; also its length. */
static char *read_file(const char *path, size_t *nbytes)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;

	*nbytes = 0;
	if (!file)
		return NULL;
	do {
		if (room - *nbytes < 2)
			text = realloc(text, room += 4096);
		if (!text)
			guest_fail("no memory for", path);
		*nbytes += fread(text + *nbytes, 1, room - *nbytes - 1, file);
	} while (!feof(file) && !ferror(file));
	text[*nbytes] = '\0';
	fclose(file);
	return text;
}

/* Strings that end with a zero byte each, as a list that ends with NULL. */
static char **read_strings(const char *path)
{
	size_t nbytes, count = 0;
	char *text = read_file(path, &nbytes);
	char **list = calloc(nbytes + 1, sizeof *list);

	if (!text || !list)
		guest_fail("cannot read", path);
	for (char *at = text; at < text + nbytes; at += strlen(at) + 1)
		list[count++] = at;
	return list;
}

static void load_modules(void)
{
	char **names = read_strings("/nearside/modules");

	for (char **name = names; *name; name++) {
		int fd = open(*name, O_RDONLY | O_CLOEXEC);

		if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
			guest_fail("cannot load the module", *name);
		close(fd);
	}
}

/* ---- ports ----------------------------------------------------------------------------------- */

/* The name of /sys/class/virtio-ports/vport0pN, or "". */
static const char *port_name(unsigned number, char *name, size_t nbytes)
{
	char path[64];
	size_t length;
	char *text;

	snprintf(path, sizeof path, "/sys/class/virtio-ports/vport0p%u/name", number);
	text = read_file(path, &length);
	snprintf(name, nbytes, "%.*s", text ? (int)strcspn(text, "\n") : 0, text ? text : "");
	free(text);
	return name;
}

enum {
	PORTS = 8
};

static int open_port(const char *wanted, int flags)
{
	char name[32], path[32];

	for (unsigned number = 0; number < PORTS; number++) {
		if (strcmp(port_name(number, name, sizeof name), wanted))
			continue;
		snprintf(path, sizeof path, "/dev/vport0p%u", number);
		return open(path, flags | O_CLOEXEC);
	}
	errno = ENODEV;
	return -1;
}

/* ---- the program ----------------------------------------------------------------------------- */

/* A shell gets the console as its terminal, every other program the ports. */
static bool wants_terminal(void)
{
	return access("/nearside/terminal", F_OK) == 0;
}

static void take_terminal(void)
{
	struct winsize size = {0};
	size_t nbytes;
	char *text = read_file("/nearside/terminal", &nbytes);
	int fd = open("/dev/hvc0", O_RDWR);

	if (fd < 0 || !text)
		guest_fail("cannot open", "/dev/hvc0");
	if (sscanf(text, "%hu %hu", &size.ws_row, &size.ws_col) == 2)
		ioctl(fd, TIOCSWINSZ, &size);
	ioctl(fd, TIOCSCTTY, 1);
	for (int i = 0; i < 3; i++)
		dup2(fd, i);
}

static void take_ports(void)
{
	static const char *const names[] = {"in", "out", "err"};

	for (int i = 0; i < 3; i++) {
		int fd = open_port(names[i], i ? O_WRONLY : O_RDONLY);

		if (fd < 0 || dup2(fd, i) < 0)
			guest_fail("cannot open the port", names[i]);
	}
}

static _Noreturn void run_program(void)
{
	char **arguments = read_strings("/nearside/arguments");
	char **environment = read_strings("/nearside/environment");
	size_t nbytes;
	char *folder = read_file("/nearside/folder", &nbytes);

	setsid();
	if (wants_terminal())
		take_terminal();
	else
		take_ports();
	if (folder && chdir(folder))
		guest_fail("cannot enter the folder", folder);
	environ = environment;
	execvp(arguments[0], arguments);
	dprintf(STDERR_FILENO, "nearside vm: cannot run %s in the guest: %s\n", arguments[0],
		strerror(errno));
	_exit(errno == ENOENT ? GUEST_NOT_FOUND : GUEST_NOT_RUN);
}

/* As the first process it has every orphan for a child. */
static int wait_for(pid_t program)
{
	for (;;) {
		int status;
		pid_t child = waitpid(-1, &status, 0);

		if (child == program)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		if (child < 0 && errno != EINTR)
			return GUEST_NOT_RUN;
	}
}

/* Everything that busybox can do, by its name, where no file of the program's has it. */
static void install_busybox(void)
{
	pid_t child = fork();

	if (child == 0) {
		int nothing = open("/dev/null", O_WRONLY);

		dup2(nothing, STDERR_FILENO);
		execl("/bin/busybox", "busybox", "--install", "-s", "/bin", NULL);
		_exit(GUEST_NOT_RUN);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
}

int main(void)
{
	pid_t program;
	int code;

	mount_all();
	control = open_port("control", O_WRONLY);
	guest_progress("the kernel runs");
	load_modules();
	install_busybox();
	if (access("/nearside/cxl", F_OK) == 0)
		guest_make_dax();
	tell("started\n");
	program = fork();
	if (program == 0)
		run_program();
	code = program > 0 ? wait_for(program) : GUEST_NOT_RUN;
	kill(-1, SIGKILL);
	tell("exit %d\n", code);
	turn_off();
}
