/* options.c - the text by which a device is opened, as numbers. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "device/abi/region.h"
#include "host/device.h"

enum {
	FAR_DEFAULT = 256 * 1024 * 1024,
	FAR_UNIT = 4096, /* far memory comes in multiples of it */
	PROCESSES_DEFAULT = 131072,
	PIPES_DEFAULT = 262144,
	SUSPECT_DEFAULT_S = 5,
	SECONDS_MAX = 1000 * 1000,
	SLOW_MAX = 1000 * 1000,
};

static const uint64_t far_max = 1ull << 40;

struct option {
	const char *name;
	size_t offset; /* in struct nhost_options */
	size_t nbytes; /* of the member */
	uint64_t min, max;
	bool is_size;  /* K, M, G may follow */
	bool is_port;  /* a name of channels/port.h, not a number */
	bool is_hosts; /* about the host's side, not about making the device */
};

#define OPTION_OF(name, member, min, max, is_size, is_hosts) \
	{name, offsetof(struct nhost_options, member),       \
		sizeof(((struct nhost_options *)0)->member), min, max, is_size, false, is_hosts}
#define OPTION(name, member, min, max, is_size) OPTION_OF(name, member, min, max, is_size, false)

static const struct option known[] = {
	OPTION("cores", cores, 1, NREG_CORES_MAX, false),
	OPTION("far", far_nbytes, FAR_UNIT, far_max, true),
	OPTION("processes", processes, 1, NREG_PROCESS_MAX, false),
	OPTION("pipes", pipes, 1, NCHAN_PIPE_MAX, false),
	{"port", offsetof(struct nhost_options, port), sizeof(uint32_t), 0, 0, false, true, false},
	OPTION("seed", seed, 0, UINT64_MAX, false),
	OPTION("faults", faults, 0, 1, false),
	OPTION("slow_host", slow_host, 1, SLOW_MAX, false),
	OPTION("slow_cores", slow_cores, 1, SLOW_MAX, false),
	OPTION_OF("suspect", suspect_s, 0, SECONDS_MAX, false, true),
	OPTION_OF("lost", lost_s, 0, SECONDS_MAX, false, true),
};

static const struct option *find(const char *name, size_t nbytes)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i].name) == nbytes && !memcmp(known[i].name, name, nbytes))
			return &known[i];
	return NULL;
}

/* The factor that a suffix stands for; 0: none that is known. */
static uint64_t unit_of(const char *suffix, size_t nbytes)
{
	static const char letters[] = "KMG";
	const char *letter = nbytes == 1 ? strchr(letters, *suffix & ~0x20) : NULL;

	if (!nbytes)
		return 1;
	return letter && *letter ? 1024ull << 10 * (letter - letters) : 0;
}

/* Digits and, of a size, a unit; everything up to `end`. */
static bool parse_number(
	const struct option *option, const char *text, const char *end, uint64_t *number)
{
	uint64_t unit;
	char *stop;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*number = strtoull(text, &stop, 10);
	unit = unit_of(stop, (size_t)(end - stop));
	if (errno || !unit || (unit > 1 && !option->is_size) || *number > UINT64_MAX / unit)
		return false;
	*number *= unit;
	return true;
}

static bool parse_port(const char *text, const char *end, uint64_t *number)
{
	size_t nbytes = (size_t)(end - text);

	for (*number = 0; *number < NCHAN_PORT_COUNT; ++*number) {
		const char *name = nchan_ports[*number].name;

		if (strlen(name) == nbytes && !memcmp(name, text, nbytes))
			return true;
	}
	return false;
}

static void store(const struct option *option, uint64_t number, struct nhost_options *options)
{
	/* Members are 4 or 8 bytes, little-endian. */
	memcpy((char *)options + option->offset, &number, option->nbytes);
}

static int parse_one(const char *text, const char *end, bool is_made, struct nhost_options *options,
	struct nhost_error *error)
{
	const char *equals = memchr(text, '=', (size_t)(end - text));
	const struct option *option = find(text, (size_t)((equals ? equals : end) - text));
	uint64_t number;

	if (!option)
		return nhost_fail(error, EINVAL,
			"no option of a device is called '%.*s'; there are cores=N, far=SIZE, processes=N, "
			"pipes=N, port=NAME, seed=N, faults=0 or 1, slow_host=N, slow_cores=N, "
			"suspect=SECONDS, lost=SECONDS",
			(int)((equals ? equals : end) - text), text);
	if (is_made && !option->is_hosts)
		return nhost_fail(error, EINVAL,
			"option '%.*s': whoever made this device has decided that; give it to "
			"nearside-device serve, as --%s",
			(int)(end - text), text, option->name);
	if (option->is_port) {
		if (!equals || !parse_port(equals + 1, end, &number))
			return nhost_fail(error, EINVAL,
				"option '%.*s': port=line, ring, mailbox or event is wanted",
				(int)(end - text), text);
		store(option, number, options);
		return 0;
	}
	if (!equals || !parse_number(option, equals + 1, end, &number))
		return nhost_fail(error, EINVAL, "option '%.*s': %s=%s is wanted",
			(int)(end - text), text, option->name,
			option->is_size ? "SIZE, such as 65536, 512M or 1G," : "NUMBER");
	if (number < option->min || number > option->max)
		return nhost_fail(error, EINVAL,
			"option '%.*s': %" PRIu64 " to %" PRIu64 " are possible", (int)(end - text),
			text, option->min, option->max);
	store(option, number, options);
	return 0;
}

/* Up to `end`. */
static int parse_place(
	const char *text, const char *end, struct nhost_options *options, struct nhost_error *error)
{
	size_t nbytes = (size_t)(end - text);

	if (nbytes >= sizeof(options->place))
		return nhost_fail(error, ENAMETOOLONG,
			"the place of a device has at most %zu characters, this one %zu",
			sizeof(options->place) - 1, nbytes);
	memcpy(options->place, text, nbytes);
	return 0;
}

static bool has_place(const char *text, enum nhost_place place)
{
	return place == NHOST_PLACE ||
	       (place == NHOST_PLACE_OR_NONE && (*text == '/' || *text == '.'));
}

int nhost_options_parse(const char *text, enum nhost_place place, bool is_made,
	struct nhost_options *options, struct nhost_error *error)
{
	bool is_first = true;

	*options = (struct nhost_options){
		.cores = 1,
		.far_nbytes = FAR_DEFAULT,
		.processes = PROCESSES_DEFAULT,
		.pipes = PIPES_DEFAULT,
		.slow_host = 1,
		.slow_cores = 1,
		.suspect_s = SUSPECT_DEFAULT_S,
	};
	if (place == NHOST_PLACE && (!*text || *text == ','))
		return nhost_fail(error, EINVAL,
			"the device's name says not where it is: KIND:PLACE is wanted");
	for (; *text; is_first = false) {
		const char *end = strchrnul(text, ',');
		int result = is_first && has_place(text, place)
				     ? parse_place(text, end, options, error)
				     : parse_one(text, end, is_made, options, error);

		if (result)
			return result;
		text = *end ? end + 1 : end;
	}
	options->far_nbytes = (options->far_nbytes + FAR_UNIT - 1) / FAR_UNIT * FAR_UNIT;
	return 0;
}
