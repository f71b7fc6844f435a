/* command.c - nearside dsa-model: runs a program on a machine that seems to have a DSA. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emu/command/command.h"
#include "emu/dsa/command.h"
#include "emu/dsa/model.h"
#include "host/engine.h"

static const char name[] = "dsa-model";

enum {
	CHILD_CANNOT_RUN = 126,
	CHILD_NOT_FOUND = 127,
	/* What has a letter. */
	OPTION_HELP = 'h',
	/* What has not; numbers first. */
	FIRST_LONG = 256,
};

enum number {
	DEVICES,
	DEDICATED,
	SHARED,
	SIZE,
	MAX_BATCH,
	MAX_TRANSFER,
	NODE,
	VERSION,
	FAULT_AT,
	FAULTS,
	LOSE,
	SWALLOW,
	SHUFFLE,
	HALT_AFTER,
	VANISH_AFTER,
	STATUS,
	NUMBERS,
	PORTAL = NUMBERS,
	SHOW,
	FAULT_WRITE,
	STALL,
	NO_OVERLAP,
	NO_CACHE_CONTROL,
	OPTIONS
};

static const struct {
	const char *name;
	uint64_t initial, min, max;
} numbers[NUMBERS] = {
	[DEVICES] = {"devices", 1, 1, NDSA_DEVICES_MAX},
	[DEDICATED] = {"dedicated", 1, 0, NDSA_QUEUES_MAX},
	[SHARED] = {"shared", 0, 0, NDSA_QUEUES_MAX},
	[SIZE] = {"size", 16, 1, NDSA_SLOTS},
	[MAX_BATCH] = {"max-batch", 32, 1, 1024},
	[MAX_TRANSFER] = {"max-transfer", 2 * 1024 * 1024, 64, 1u << 31},
	[NODE] = {"node", 0, 0, 1023},
	[VERSION] = {"device-version", 0x100, 0x100, 0x200},
	[FAULT_AT] = {"fault-at", NDSA_NEVER, 0, NDSA_NEVER},
	[FAULTS] = {"faults", NDSA_NEVER, 0, NDSA_NEVER},
	[LOSE] = {"lose", 0, 0, NDSA_NEVER},
	[SWALLOW] = {"swallow", 0, 0, NDSA_NEVER},
	[SHUFFLE] = {"shuffle", 0, 0, NDSA_SLOTS},
	[HALT_AFTER] = {"halt-after", NDSA_NEVER, 0, NDSA_NEVER},
	[VANISH_AFTER] = {"vanish-after", NDSA_NEVER, 0, NDSA_NEVER},
	[STATUS] = {"status", 0, 0, 255},
};

static const char usage[] =
	"usage: nearside dsa-model [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
	"\n"
	"Runs a program on a machine that seems to have an Intel DSA: libaccel-config, accel-config\n"
	"list and the copy engine `dsa` find it. It does what hardware does to the bytes, but says\n"
	"nothing of how fast hardware is.\n"
	"\n"
	"The device\n"
	"  --devices=N                how many (1): two have these queues each; the second is at its\n"
	"                             NUMA node, the first one node farther\n"
	"  --dedicated=N --shared=N   queues of each mode (1, 0); at most 8 together\n"
	"  --size=N                   descriptors that a queue holds, 1 to 64 (16)\n"
	"  --max-batch=N              descriptors of a batch; 1: no batches (32)\n"
	"  --max-transfer=BYTES       of one descriptor (2097152)\n"
	"  --node=N                   its NUMA node (0)\n"
	"  --device-version=N         0x100 or 0x200 (0x100)\n"
	"  --portal=map|write         whether programs may map a queue, or must write() to it (map\n"
	"                             where the processor has MOVDIR64B, else write)\n"
	"  --no-overlap --no-cache-control\n"
	"                             what the device cannot do\n"
	"  --show=STATE               usable, or what keeps it from being used: no-module, no-device,\n"
	"                             device-off, halted, no-svm, no-queue, queue-off, kernel-queue,\n"
	"                             no-node, shared-refused\n"
	"\n"
	"Trouble, also at run time in the page that $NEARSIDE_DSA_MODEL names (emu/dsa/control.h)\n"
	"  --fault-at=N               a page is not there for byte N of a transfer, ...\n"
	"  --fault-write              ... where it writes; else where it reads\n"
	"  --faults=N                 only so often\n"
	"  --lose=N                   so many completions never come\n"
	"  --swallow=N                so many descriptors are not done, either\n"
	"  --shuffle=N                so many are collected and done last first\n"
	"  --stall                    nothing is taken from queues\n"
	"  --halt-after=N --vanish-after=N\n"
	"                             descriptors; then the device halts, or is gone\n"
	"  --status=N                 this status for every descriptor, and nothing is done\n"
	"\n"
	"One process at a time uses a queue. Exit status: that of the program, 128 and the number of\n"
	"the signal that ended it, 126 or 127 if it cannot be run; 1: no such machine can be made\n"
	"here, and standard error says why; 2: wrong usage.\n";

struct choice {
	struct ndsa_model model;
	uint64_t values[NUMBERS];
};

static bool parse_number(enum number number, const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	if (*text >= '0' && *text <= '9' && !*end && !errno && *value >= numbers[number].min &&
		*value <= numbers[number].max)
		return true;
	command_fail(COMMAND_USAGE, name, "--%s=%s: %llu to %llu are possible",
		numbers[number].name, text, (unsigned long long)numbers[number].min,
		(unsigned long long)numbers[number].max);
	return false;
}

static bool parse_show(const char *text, enum ndsa_show *show)
{
	for (unsigned i = 0; i < NDSA_SHOWS; i++)
		if (!strcmp(text, ndsa_show_names[i])) {
			*show = (enum ndsa_show)i;
			return true;
		}
	command_fail(COMMAND_USAGE, name, "--show=%s: --help lists what can be shown", text);
	return false;
}

static bool parse_portal(const char *text, bool *is_mapped)
{
	*is_mapped = !strcmp(text, "map");
	if (*is_mapped || !strcmp(text, "write"))
		return true;
	command_fail(COMMAND_USAGE, name, "--portal=%s: map or write is wanted", text);
	return false;
}

static bool parse_one(int option, struct choice *choice)
{
	struct ndsa_options *options = &choice->model.options;

	if (option < NUMBERS)
		return parse_number((enum number)option, optarg, &choice->values[option]);
	switch (option) {
	case PORTAL:
		return parse_portal(optarg, &options->is_mapped);
	case SHOW:
		return parse_show(optarg, &options->show);
	case FAULT_WRITE:
		options->trouble.fault_is_write = 1;
		return true;
	case STALL:
		options->trouble.stall = 1;
		return true;
	case NO_OVERLAP:
		options->has_overlap = false;
		return true;
	case NO_CACHE_CONTROL:
		options->has_cache_control = false;
		return true;
	default:
		return false;
	}
}

static void take_values(struct choice *choice)
{
	struct ndsa_options *options = &choice->model.options;
	const uint64_t *values = choice->values;

	options->devices = (unsigned)values[DEVICES];
	options->dedicated = (unsigned)values[DEDICATED];
	options->shared = (unsigned)values[SHARED];
	options->size = (unsigned)values[SIZE];
	options->max_batch = (unsigned)values[MAX_BATCH];
	options->max_transfer = values[MAX_TRANSFER];
	options->node = (int)values[NODE];
	options->version = (unsigned)values[VERSION];
	options->trouble.fault_at = values[FAULT_AT];
	options->trouble.faults = values[FAULT_AT] == NDSA_NEVER ? 0 : values[FAULTS];
	options->trouble.lose = values[LOSE];
	options->trouble.swallow = values[SWALLOW];
	options->trouble.shuffle = values[SHUFFLE];
	options->trouble.halt_after = values[HALT_AFTER];
	options->trouble.vanish_after = values[VANISH_AFTER];
	options->trouble.status = values[STATUS];
}

/* The exit code where there is nothing to run; -1: there is. */
static int parse(int argc, char **argv, struct choice *choice)
{
	static const struct option words[] = {
		{"portal", required_argument, NULL, FIRST_LONG + PORTAL},
		{"show", required_argument, NULL, FIRST_LONG + SHOW},
		{"fault-write", no_argument, NULL, FIRST_LONG + FAULT_WRITE},
		{"stall", no_argument, NULL, FIRST_LONG + STALL},
		{"no-overlap", no_argument, NULL, FIRST_LONG + NO_OVERLAP},
		{"no-cache-control", no_argument, NULL, FIRST_LONG + NO_CACHE_CONTROL},
		{"help", no_argument, NULL, OPTION_HELP},
	};
	enum {
		WORDS = sizeof words / sizeof words[0]
	};
	struct option options[NUMBERS + WORDS + 1] = {{0}};
	int option;

	for (int i = 0; i < NUMBERS; i++) {
		options[i] =
			(struct option){numbers[i].name, required_argument, NULL, FIRST_LONG + i};
		choice->values[i] = numbers[i].initial;
	}
	memcpy(&options[NUMBERS], words, sizeof words);
	while ((option = getopt_long(argc, argv, "+h", options, NULL)) != -1) {
		if (option == OPTION_HELP)
			return command_print(usage);
		if (option < FIRST_LONG || !parse_one(option - FIRST_LONG, choice))
			return COMMAND_USAGE;
	}
	take_values(choice);
	if (optind == argc)
		return command_fail(COMMAND_USAGE, name, "which program? --help says more");
	if (choice->values[DEVICES] * (choice->values[DEDICATED] + choice->values[SHARED]) >
		NDSA_QUEUES_MAX)
		return command_fail(
			COMMAND_USAGE, name, "at most %d queues are possible", NDSA_QUEUES_MAX);
	return -1;
}

static void run_program(char **argv)
{
	int number;

	setenv(NDSA_VARIABLE, "/dev/dsa/.model", 1);
	execvp(argv[0], argv);
	number = errno;
	command_fail(1, name, "%s: %s", argv[0], strerror(number));
	_exit(number == ENOENT ? CHILD_NOT_FOUND : CHILD_CANNOT_RUN);
}

/* Some containers let no process look at another one. */
static int try_memory(pid_t child)
{
	static const char wanted[] = "seen";
	char seen[sizeof wanted];

	if (ndsa_read(child, (uintptr_t)wanted, seen, sizeof seen) == sizeof seen &&
		!memcmp(seen, wanted, sizeof seen))
		return 0;
	return command_fail(COMMAND_FAILED, name,
		"no namespace can be had that helps: the memory of a child cannot be read (%s); a "
		"container needs --cap-add SYS_PTRACE",
		strerror(errno));
}

static int start_and_serve(struct ndsa_model *model, char **argv)
{
	int start[2];
	pid_t child;
	char go = 0;
	int result;

	if (pipe(start))
		return command_fail(COMMAND_FAILED, name, "pipe: %s", strerror(errno));
	fflush(NULL);
	child = fork();
	if (child < 0)
		return command_fail(COMMAND_FAILED, name, "fork: %s", strerror(errno));
	if (!child) {
		close(start[1]);
		if (read(start[0], &go, 1) != 1)
			_exit(COMMAND_FAILED);
		close(start[0]);
		run_program(argv);
	}
	close(start[0]);
	result = try_memory(child);
	/* The keyboard interrupts the child, too; this one goes on until that has ended. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	if (!result && write(start[1], &go, 1) != 1)
		result = command_fail(COMMAND_FAILED, name, "the child has gone");
	close(start[1]);
	if (result) {
		waitpid(child, NULL, 0);
		return result;
	}
	return ndsa_serve(model, child);
}

int dsa_model_command(int argc, char **argv)
{
	static struct choice choice;
	struct nhost_error error;
	int result;

	choice.model.options = (struct ndsa_options){
		.is_mapped = nhost_dsa_can_map(), .has_overlap = true, .has_cache_control = true};
	result = parse(argc, argv, &choice);
	if (result >= 0)
		return result;
	if (ndsa_tree_create(&choice.model, &error) || ndsa_portals_open(&choice.model, &error))
		return command_fail(COMMAND_FAILED, name, "%s", error.text);
	return start_and_serve(&choice.model, argv + optind);
}
