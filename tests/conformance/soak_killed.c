/*
 * soak_killed SECONDS [SEED [TIMES]]: kill -9 of a program or of its device, at a moment drawn from
 * the seed, again and again until time is up or it was done so often. Each time
 *
 *   - a program whose device was killed is told -ENODEV and ends by itself;
 *   - when a program was killed the next one gets the device as new;
 *   - and in the end there is no process, no file and no client left.
 *
 * The devices are those of a supervisor (`daemon`) and one that is served in a file, in turn.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <nearside/nmem.h>
#include <nearside/npipe.h>
#include <nearside/nproc.h>

#include "tests/conformance/served.h"

enum {
	PATIENCE_MS = 20 * 1000,
	TOLD = 10, /* exit code of a program that was told -ENODEV */
	STEPS_MAX = 60,
};

static char socket_path[64], file_path[64], daemon_name[80], file_name[80];
static pid_t supervisor, server;
static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % below;
}

/* ---- a program ------------------------------------------------------------------------------- */

/* Each step is told; a number that is no errno of a device that has gone ends the program. */
static void step(int steps, int64_t result, const struct nproc_device *device)
{
	char detail[512];

	if (result == -ENODEV)
		_exit(TOLD);
	if (result < 0) {
		fprintf(stderr, "a program got %" PRId64 ": %s\n", result,
			nproc_detail(
				(struct nproc_device *)(uintptr_t)device, detail, sizeof detail));
		_exit(1);
	}
	if (write(steps, "", 1) != 1)
		_exit(2);
}

static void one_life(const char *name, int steps)
{
	struct nproc_device *device;
	struct nproc_image *image;
	struct nproc *process, *echo;
	struct nproc_attr attr = {.core = NPROC_ANY_CORE};
	struct npipe *in[2], *out[2], *ends[2];
	uint64_t word = 7;
	void *memory;

	step(steps, nproc_device_open(name, &device), device);
	step(steps, nproc_image_open(device, TEST_KERNELS_PATH, &image), device);
	step(steps, nmem_alloc(device, 1 << 20, &memory), device);
	memset(memory, 0x55, 1 << 20);
	step(steps, npipe_create(device, in), device);
	step(steps, npipe_create(device, out), device);
	ends[0] = in[0];
	ends[1] = out[1];
	attr.end_count = 2;
	attr.ends = ends;
	step(steps, nproc_spawn(device, image, "echo", &attr, &echo, 8), device);
	for (int i = 0; i < 20; i++) {
		step(steps, npipe_write(in[1], &word, sizeof word), device);
		step(steps, npipe_read_full(out[0], &word, sizeof word), device);
	}
	step(steps, nproc_spawn(device, image, "spin", NULL, &process), device);
	step(steps, nproc_kill(process), device);
	step(steps, nproc_wait(process, NULL, NPROC_FOREVER), device);
	nproc_device_close(device);
}

static void live(const char *name, int steps)
{
	alarm(PATIENCE_MS / 1000); /* one that hangs is ended by it, and not by SIGKILL */
	for (;;)
		one_life(name, steps);
}

static pid_t start_program(const char *name, int *steps)
{
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		return -1;
	pid = fork();
	if (!pid) {
		close(ends[0]);
		live(name, ends[1]);
	}
	close(ends[1]);
	*steps = ends[0];
	return pid;
}

static void let_it_get_on(int steps, uint64_t count)
{
	char byte;

	while (count-- && read(steps, &byte, 1) == 1)
		;
}

/* ---- devices --------------------------------------------------------------------------------- */

static bool start_supervisor(void)
{
	char program[] = TEST_DEVICE_PROGRAM, command[] = "start", option[] = "--socket";
	char stay[] = "--foreground";
	char *arguments[] = {program, command, option, socket_path, stay, NULL};

	supervisor = served_run(arguments);
	return supervisor > 0;
}

static bool start_server(void)
{
	char program[] = TEST_DEVICE_PROGRAM, command[] = "serve", option[] = "--file";
	char far[] = "--far", size[] = "8M";
	char *arguments[] = {program, command, option, file_path, far, size, NULL};

	server = served_run(arguments);
	return server > 0;
}

/* Of the only client; 0: none is there yet, or any more. */
static pid_t find_worker(void)
{
	char command[256], line[256];
	int program, worker = 0;
	FILE *status;

	snprintf(command, sizeof command, "%s status --socket %s 2>/dev/null", TEST_DEVICE_PROGRAM,
		socket_path);
	status = popen(command, "r");
	if (!status)
		return 0;
	while (fgets(line, sizeof line, status))
		if (sscanf(line, "%d %d", &program, &worker) == 2)
			break;
	pclose(status);
	return worker;
}

static void kill_device(bool is_daemon)
{
	pid_t worker;

	if (is_daemon) {
		worker = find_worker();
		if (worker)
			kill(worker, SIGKILL);
		return;
	}
	served_end(server, SIGKILL);
	server = 0;
}

/* ---- one time -------------------------------------------------------------------------------- */

/* The next program gets the device as new. */
static bool is_as_new(const char *name)
{
	struct nproc_device *device;
	struct nproc_image *image;
	struct nproc_status status = {.exit_code = 0};
	struct nproc *process;
	char detail[512];
	void *memory;
	int result = nproc_device_open(name, &device);

	if (!result)
		result = nproc_image_open(device, TEST_KERNELS_PATH, &image);
	if (!result)
		result = nmem_alloc(device, 1 << 20, &memory);
	if (!result && (*(char *)memory || memcmp(memory, (char *)memory + 1, (1 << 20) - 1)))
		result = -EUCLEAN;
	if (!result)
		result = nproc_spawn(device, image, "exit_with", NULL, &process, 5);
	if (!result)
		result = nproc_wait(process, &status, NPROC_FOREVER);
	if (result || status.exit_code != 5)
		fprintf(stderr, "the next program: %d, %s\n", result,
			nproc_detail(device, detail, sizeof detail));
	nproc_device_close(device);
	return !result && status.exit_code == 5;
}

static bool has_ended_well(int status, bool kills_device)
{
	if (kills_device ? WIFEXITED(status) && WEXITSTATUS(status) == TOLD
			 : WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return true;
	fprintf(stderr, "the program ended with status 0x%x\n", (unsigned)status);
	return false;
}

static bool kill_once(uint64_t seed)
{
	bool is_daemon, kills_device;
	const char *name;
	int steps = -1, status = 0;
	pid_t program;

	random_state = seed * 0x9e3779b97f4a7c15 | 1;
	draw(2);
	is_daemon = draw(2);
	kills_device = draw(2);
	name = is_daemon ? daemon_name : file_name;
	program = start_program(name, &steps);
	let_it_get_on(steps, 1 + draw(STEPS_MAX));
	if (kills_device)
		kill_device(is_daemon);
	else
		kill(program, SIGKILL);
	/* Between two lives of a program there is no worker: then it is told nothing. */
	while (kills_device && is_daemon && !waitpid(program, &status, WNOHANG)) {
		let_it_get_on(steps, 1);
		kill_device(true);
	}
	if (!(kills_device && is_daemon))
		waitpid(program, &status, 0);
	close(steps);
	return has_ended_well(status, kills_device) && (server || start_server()) &&
	       is_as_new(name);
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool nothing_is_left(void)
{
	bool is_clean = true;

	for (int i = 0; i < 100 && find_worker(); i++)
		;
	if (find_worker()) {
		fprintf(stderr, "a worker is left\n");
		is_clean = false;
	}
	served_end(server, SIGTERM);
	served_end(supervisor, SIGTERM);
	if (!access(socket_path, F_OK) || !access(file_path, F_OK)) {
		fprintf(stderr, "a file is left: %s or %s\n", socket_path, file_path);
		is_clean = false;
	}
	if (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD) {
		fprintf(stderr, "a process is left\n");
		is_clean = false;
	}
	return is_clean;
}

static bool set_up(void)
{
	snprintf(socket_path, sizeof socket_path, "/tmp/soak-killed-%d.socket", (int)getpid());
	snprintf(file_path, sizeof file_path, "/dev/shm/soak-killed-%d", (int)getpid());
	snprintf(daemon_name, sizeof daemon_name, "daemon:%s,far=8M", socket_path);
	snprintf(file_name, sizeof file_name, "file:%s", file_path);
	return start_supervisor() && start_server();
}

int main(int argc, char **argv)
{
	long seconds = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL) * 1000000;
	unsigned long times = argc > 3 ? strtoul(argv[3], NULL, 10) : 0, done = 0;
	time_t end = time(NULL) + seconds;
	bool is_well;

	if (seconds <= 0) {
		fprintf(stderr, "usage: soak_killed SECONDS [SEED [TIMES]]\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("from seed %" PRIu64 "\n", seed);
	is_well = set_up();
	for (; is_well && time(NULL) < end && (!times || done < times); seed++, done++) {
		is_well = kill_once(seed);
		if (!is_well)
			printf("failed: soak_killed %ld %" PRIu64 " 1\n", seconds, seed);
	}
	is_well = nothing_is_left() && is_well;
	printf("killed %lu times\n", done);
	return !is_well;
}
