#include "tests/conformance/suite.h"

#include "tests/conformance/served.h"

struct suite suite;

int64_t must_at(int64_t result, const char *what, const char *file, int line)
{
	char detail[512];

	if (result >= 0)
		return result;
	print_error("%s: %s: %s\n", what, strerror((int)-result),
		nproc_detail(suite.device, detail, sizeof detail));
	_fail(file, line);
	return result;
}

int suite_open(void **state)
{
	(void)state;
	must(nproc_device_open(suite.device_name, &suite.device));
	must(nproc_device_info(suite.device, &suite.info));
	must(nproc_image_open(suite.device, TEST_KERNELS_PATH, &suite.image));
	return 0;
}

/* The devices that a test has started beside its own. */
static unsigned others_started;
static const char *others[SERVED_MAX];

int suite_close(void **state)
{
	(void)state;
	nproc_device_close(suite.device);
	suite.device = NULL;
	while (others_started)
		served_stop(others[--others_started]);
	return 0;
}

bool is_only_one(void)
{
	return !suite.served &&
	       (!strncmp(suite.device_name, "file:", 5) || !strncmp(suite.device_name, "dax:", 4));
}

void skip_if_only_one(void)
{
	skip_unless(!is_only_one(), "a second device, or one with other options, is not to be had");
}

static const char *serve_another(const char *options)
{
	char whole[256];

	snprintf(whole, sizeof whole, "%s%s%s", suite.served, *suite.served ? "," : "", options);
	others[others_started] = served_start(whole);
	assert_non_null(others[others_started]);
	return others[others_started++];
}

const char *name_of_another(void)
{
	return suite.served ? serve_another("") : suite.device_name;
}

void open_another(const char *options, struct nproc_device **device)
{
	char name[256];

	skip_if_only_one();
	if (suite.served)
		snprintf(name, sizeof name, "%s", serve_another(options));
	else
		snprintf(name, sizeof name, "%s%s%s", suite.device_name,
			strchr(suite.device_name, ':') ? "," : ":", options);
	if (nproc_device_open(name, device)) {
		char detail[512];

		print_error("%s: %s\n", name, nproc_detail(*device, detail, sizeof detail));
		fail();
	}
}

bool is_simulation(void)
{
	return !strncmp(suite.device_name, "sim", 3);
}

void skip_unless(bool holds, const char *reason)
{
	if (holds)
		return;
	printf("skipped: %s on %s\n", reason, suite.device_name);
	skip();
}

void assert_detail(const char *text)
{
	char detail[512];

	if (strstr(nproc_detail(suite.device, detail, sizeof detail), text))
		return;
	print_error("'%s' is not in '%s'\n", text, detail);
	fail();
}

struct ends make_pipe(void)
{
	struct npipe *end[2];

	must(npipe_create(suite.device, end));
	return (struct ends){end[0], end[1]};
}

struct nproc_status ending_of(struct nproc *process)
{
	struct nproc_status status;

	must(nproc_wait(process, &status, NPROC_FOREVER));
	nproc_close(process);
	return status;
}

int64_t exit_code_of(struct nproc *process)
{
	struct nproc_status status = ending_of(process);
	char text[256];

	if (status.state != NPROC_EXITED)
		print_error("the process %s\n", nproc_status_text(&status, text, sizeof text));
	assert_int_equal(status.state, NPROC_EXITED);
	return status.exit_code;
}

void assert_fault(struct nproc *process, const char *expected)
{
	struct nproc_status status;
	char text[256];

	must(nproc_wait(process, &status, NPROC_FOREVER));
	assert_int_equal(status.state, NPROC_FAULTED);
	nproc_status_text(&status, text, sizeof text);
	nproc_close(process);
	if (!strstr(text, expected))
		print_error("'%s' is not in '%s'\n", expected, text);
	assert_non_null(strstr(text, expected));
	assert_non_null(strstr(text, "kernels.c:"));
	assert_true(status.line > 0);
}

uint8_t stream_byte(uint64_t i)
{
	return (uint8_t)(i * 31 + (i >> 8));
}

/* ---- memory that is not coherent ------------------------------------------------------------- */

void publish(const void *memory, size_t nbytes)
{
	must(nmem_publish(suite.device, memory, nbytes));
}

void refresh(const void *memory, size_t nbytes)
{
	must(nmem_refresh(suite.device, memory, nbytes));
}

uint64_t fresh_word(const uint64_t *word)
{
	refresh(word, sizeof *word);
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

void hand_over(const void *memory, size_t nbytes)
{
	struct nproc *process;

	publish(memory, nbytes);
	if (suite.info.is_coherent)
		return;
	must(nproc_spawn(HERE, "refresh_far", NULL, &process, memory, nbytes));
	exit_code_of(process);
}

void take_back(void *memory, size_t nbytes)
{
	struct nproc *process;

	if (!suite.info.is_coherent) {
		must(nproc_spawn(HERE, "publish_far", NULL, &process, memory, nbytes));
		exit_code_of(process);
	}
	refresh(memory, nbytes);
}
