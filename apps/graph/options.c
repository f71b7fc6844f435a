#include "apps/graph/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "apps/graph/device_search.h"
#include "apps/graph/fields.h"
#include "apps/graph/output.h"

enum {
	OPTION_FORMAT = 256,
	OPTION_COMPACT_IDS,
	OPTION_KRON,
	OPTION_UNIFORM,
	OPTION_DEGREE,
	OPTION_SEED,
	OPTION_FROM_APT,
	OPTION_REVERSE,
	OPTION_SYMMETRIZE,
	OPTION_ALLOW_EMPTY,
	OPTION_TOP,
	OPTION_JSON,
};

static const struct option long_options[] = {
	{"format", required_argument, NULL, OPTION_FORMAT},
	{"compact-ids", no_argument, NULL, OPTION_COMPACT_IDS},
	{"kron", required_argument, NULL, OPTION_KRON},
	{"uniform", required_argument, NULL, OPTION_UNIFORM},
	{"degree", required_argument, NULL, OPTION_DEGREE},
	{"seed", required_argument, NULL, OPTION_SEED},
	{"from-apt", no_argument, NULL, OPTION_FROM_APT},
	{"reverse", no_argument, NULL, OPTION_REVERSE},
	{"symmetrize", no_argument, NULL, OPTION_SYMMETRIZE},
	{"allow-empty", no_argument, NULL, OPTION_ALLOW_EMPTY},
	{"source", required_argument, NULL, 's'},
	{"device", required_argument, NULL, 'd'},
	{"cores", required_argument, NULL, 'c'},
	{"verify", no_argument, NULL, 'v'},
	{"output", required_argument, NULL, 'o'},
	{"top", required_argument, NULL, OPTION_TOP},
	{"json", no_argument, NULL, OPTION_JSON},
	{"help", no_argument, NULL, 'h'},
	{0},
};

static bool wrong(const char *text)
{
	fprintf(stderr, "nearside-graph: %s; nearside-graph bfs --help lists what there is\n",
		text);
	return false;
}

static bool number(
	const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
	char message[256];

	if (field_unsigned(text, value) && *value >= least && *value <= most)
		return true;
	snprintf(message, sizeof message, "--%s takes a number from %llu to %llu, not '%.40s'",
		option, (unsigned long long)least, (unsigned long long)most, text);
	return wrong(message);
}

static bool small_number(
	const char *option, const char *text, unsigned least, unsigned most, unsigned *value)
{
	uint64_t wide;

	if (!number(option, text, least, most, &wide))
		return false;
	*value = (unsigned)wide;
	return true;
}

static bool set_origin(struct options *options, enum graph_origin origin)
{
	if (options->origin != FROM_NOWHERE)
		return wrong(
			"more than one graph; give one FILE, or --kron, --uniform or --from-apt once");
	options->origin = origin;
	return true;
}

static bool set_generator(struct options *options, enum generate_kind kind, const char *scale)
{
	options->generate.kind = kind;
	return set_origin(options, FROM_GENERATOR) &&
	       small_number(kind == GENERATE_KRON ? "kron" : "uniform", scale, 0,
		       GENERATE_SCALE_MAX, &options->generate.scale);
}

/* Options that only set a flag. NULL: the letter is not one of them. */
static bool *flag_of(struct options *options, int letter)
{
	switch (letter) {
	case OPTION_COMPACT_IDS:
		return &options->compact_ids;
	case OPTION_REVERSE:
		return &options->shape.reverse;
	case OPTION_SYMMETRIZE:
		return &options->shape.symmetrize;
	case OPTION_ALLOW_EMPTY:
		return &options->allow_empty;
	case OPTION_JSON:
		return &options->json;
	case 'v':
		return &options->verify;
	default:
		return NULL;
	}
}

/* Options that only keep a text. NULL: the letter is not one of them. */
static const char **text_of(struct options *options, int letter)
{
	switch (letter) {
	case OPTION_FORMAT:
		return &options->format;
	case 's':
		return &options->source;
	case 'd':
		return &options->device;
	case 'o':
		return &options->output;
	default:
		return NULL;
	}
}

static bool set(struct options *options, int letter, const char *text)
{
	switch (letter) {
	case OPTION_KRON:
		return set_generator(options, GENERATE_KRON, text);
	case OPTION_UNIFORM:
		return set_generator(options, GENERATE_UNIFORM, text);
	case OPTION_DEGREE:
		return small_number(
			"degree", text, 1, GENERATE_DEGREE_MAX, &options->generate.degree);
	case OPTION_SEED:
		return number("seed", text, 0, UINT64_MAX, &options->generate.seed);
	case OPTION_FROM_APT:
		return set_origin(options, FROM_APT);
	case OPTION_TOP:
		return small_number("top", text, 1, 1000, &options->top);
	case 'c':
		return small_number("cores", text, 1, DEVICE_CORES_MAX, &options->cores);
	default: /* getopt has printed what is wrong */
		return wrong("wrong usage");
	}
}

static bool set_any(struct options *options, int letter, const char *text)
{
	bool *flag = flag_of(options, letter);
	const char **kept = text_of(options, letter);

	if (flag)
		*flag = true;
	else if (kept)
		*kept = text;
	else
		return set(options, letter, text);
	return true;
}

static bool is_consistent(const struct options *options)
{
	struct problem problem;
	enum load_format format;

	if (options->origin == FROM_NOWHERE)
		return wrong("no graph; give a FILE, --kron SCALE, --uniform SCALE or --from-apt");
	if ((options->format || options->compact_ids) && options->origin != FROM_FILE)
		return wrong("--format and --compact-ids are about a FILE");
	if (options->format && load_format_named(options->format, &format, &problem) != 0)
		return wrong(problem.text);
	if (options->json && options->top)
		return wrong("--top is a table for people; leave --json or --top out");
	return true;
}

enum exit_code options_print(const char *text)
{
	struct problem problem;

	fputs(text, stdout);
	if (printed_all(stdout, &problem) == 0)
		return EXIT_OK;
	fprintf(stderr, "nearside-graph: %s\n", problem.text);
	return EXIT_BAD_INPUT;
}

bool options_read(struct options *options, int argc, char **argv, enum exit_code *exit_code)
{
	int letter;

	*options = (struct options){.generate = {.degree = GENERATE_DEGREE, .seed = GENERATE_SEED}};
	*exit_code = EXIT_USAGE;
	while ((letter = getopt_long(argc, argv, "s:d:c:vo:h", long_options, NULL)) != -1) {
		if (letter == 'h') {
			*exit_code = options_print(options_help);
			return false;
		}
		if (!set_any(options, letter, optarg))
			return false;
	}
	for (; optind < argc; optind++) {
		options->path = argv[optind];
		if (!set_origin(options, FROM_FILE))
			return false;
	}
	return is_consistent(options);
}
