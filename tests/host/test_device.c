/* Opening devices by name. The table of kinds is this test's own. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/device.h"

static struct nhost_options seen;
static unsigned closed;
static int open_result;

static int open_fake(
	const struct nhost_options *options, struct nhost_device *device, struct nhost_error *error)
{
	seen = *options;
	if (open_result)
		return nhost_fail(error, -open_result, "no such luck");
	device->executor = &seen;
	return 0;
}

static void close_fake(struct nhost_device *device)
{
	assert_ptr_equal(device->executor, &seen);
	closed++;
}

static const struct nhost_device_ops first = {
	.kind = "first", .summary = "the default", .open = open_fake, .close = close_fake};
static const struct nhost_device_ops second = {
	.kind = "second", .summary = "another", .open = open_fake, .close = close_fake};

const struct nhost_device_ops *const nhost_devices[] = {&first, &second, NULL};

static int forget(void **state)
{
	(void)state;
	unsetenv("NEARSIDE_DEVICE");
	memset(&seen, 0, sizeof seen);
	open_result = 0;
	closed = 0;
	return 0;
}

static const struct nhost_device_ops *opened(const char *name)
{
	struct nhost_device device;
	struct nhost_error error;

	assert_int_equal(nhost_device_open(name, &device, &error), 0);
	nhost_device_close(&device);
	assert_int_equal(closed, 1);
	closed = 0;
	return device.ops;
}

static void assert_fails(const char *name, int expected, const char *text)
{
	struct nhost_device device;
	struct nhost_error error = {""};

	assert_int_equal(nhost_device_open(name, &device, &error), expected);
	if (!strstr(error.text, text))
		print_error("'%s' is not in '%s'\n", text, error.text);
	assert_non_null(strstr(error.text, text));
}

static void a_name_chooses_the_kind(void **state)
{
	(void)state;
	assert_ptr_equal(opened("first"), &first);
	assert_ptr_equal(opened("second"), &second);
	assert_ptr_equal(opened("second:"), &second);
}

static void no_name_means_the_environment_then_the_first(void **state)
{
	(void)state;
	assert_ptr_equal(opened(NULL), &first);
	setenv("NEARSIDE_DEVICE", "second:cores=3", 1);
	assert_ptr_equal(opened(NULL), &second);
	assert_int_equal(seen.cores, 3);
	assert_ptr_equal(opened("first"), &first);
	setenv("NEARSIDE_DEVICE", "", 1);
	assert_ptr_equal(opened(NULL), &first);
}

static void unknown_kinds_say_what_there_is(void **state)
{
	(void)state;
	assert_fails("third:cores=1", -EINVAL,
		"no kind of device is called 'third'; there are first (the default), second (another)");
	assert_fails("firs", -EINVAL, "'firs'");
	assert_fails("firstly", -EINVAL, "'firstly'");
	assert_fails(":cores=1", -EINVAL, "''");
}

static void unknown_ports_say_what_there_is(void **state)
{
	const char *text = "port=line, ring, mailbox or event is wanted";

	(void)state;
	assert_fails("first:port=rings", -EINVAL, text);
	assert_fails("first:port=", -EINVAL, text);
	assert_fails("first:port", -EINVAL, text);
	assert_fails("first:port=1", -EINVAL, text);
}

static void a_kind_that_cannot_open_says_why(void **state)
{
	(void)state;
	open_result = -ENOMEM;
	assert_fails("first", -ENOMEM, "no such luck");
	assert_int_equal(closed, 0);
}

static void options_have_defaults(void **state)
{
	(void)state;
	opened("first");
	assert_int_equal(seen.cores, 1);
	assert_int_equal(seen.far_nbytes, 256 << 20);
	assert_int_equal(seen.processes, 131072);
	assert_int_equal(seen.pipes, 262144);
	assert_int_equal(seen.seed, 0);
}

static bool header_says(const char *text)
{
	FILE *file = fopen(NPROC_HEADER, "r");
	char header[64 * 1024];
	size_t nbytes;

	assert_non_null(file);
	nbytes = fread(header, 1, sizeof header - 1, file);
	fclose(file);
	header[nbytes] = '\0';
	return strstr(header, text);
}

/* Case 28: the numbers in the description are those that the code has. */
static void case_28_the_header_names_the_defaults_that_are_used(void **state)
{
	char text[128];
	(void)state;
	opened("first");

	snprintf(text, sizeof text, "cores=N (1..%d, default %u)", NREG_CORES_MAX, seen.cores);
	assert_true(header_says(text));
	snprintf(text, sizeof text, "default %" PRIu64 "M)", seen.far_nbytes >> 20);
	assert_true(header_says(text));
	snprintf(text, sizeof text, "default %" PRIu32 " and %" PRIu32 ")", seen.processes,
		seen.pipes);
	assert_true(header_says(text));
}

static void options_are_parsed(void **state)
{
	(void)state;
	opened("first:cores=64,far=3G,processes=7,pipes=4194303,seed=18446744073709551615");
	assert_int_equal(seen.cores, 64);
	assert_int_equal(seen.far_nbytes, 3ull << 30);
	assert_int_equal(seen.processes, 7);
	assert_int_equal(seen.pipes, 4194303);
	assert_int_equal(seen.seed, UINT64_MAX);
	opened("first");
	assert_int_equal(seen.port, NCHAN_PORT_LINE);
	opened("first:port=mailbox,cores=2");
	assert_int_equal(seen.port, NCHAN_PORT_MAILBOX);
}

static void sizes_have_units(void **state)
{
	(void)state;
	opened("first:far=8192");
	assert_int_equal(seen.far_nbytes, 8192);
	opened("first:far=8K");
	assert_int_equal(seen.far_nbytes, 8192);
	opened("first:far=8k");
	assert_int_equal(seen.far_nbytes, 8192);
	opened("first:far=2M");
	assert_int_equal(seen.far_nbytes, 2 << 20);
	opened("first:far=5000");
	assert_int_equal(seen.far_nbytes, 8192); /* whole pages */
}

static void wrong_options_are_named(void **state)
{
	(void)state;
	assert_fails("first:speed=9", -EINVAL,
		"no option of a device is called 'speed'; there are cores=N");
	assert_fails("first:cores", -EINVAL, "option 'cores': cores=NUMBER");
	assert_fails("first:cores=", -EINVAL, "option 'cores=': cores=NUMBER");
	assert_fails("first:cores=x", -EINVAL, "cores=NUMBER");
	assert_fails("first:cores=1x", -EINVAL, "cores=NUMBER");
	assert_fails("first:cores=-1", -EINVAL, "cores=NUMBER");
	assert_fails("first:cores= 1", -EINVAL, "cores=NUMBER");
	assert_fails("first:cores=2K", -EINVAL, "cores=NUMBER");
	assert_fails("first:cores=2,,far=1M", -EINVAL, "''");
	assert_fails("first:far=1KB", -EINVAL, "far=SIZE");
	assert_fails("first:far=18446744073709551616", -EINVAL, "far=SIZE");
	assert_fails("first:far=18014398509481985K", -EINVAL, "far=SIZE");
}

static void numbers_out_of_range_say_the_range(void **state)
{
	(void)state;
	assert_fails("first:cores=0", -EINVAL, "option 'cores=0': 1 to 64 are possible");
	assert_fails("first:cores=65", -EINVAL, "1 to 64");
	assert_fails("first:far=1", -EINVAL, "4096 to");
	assert_fails("first:far=2048G", -EINVAL, "4096 to");
	assert_fails("first:processes=16777216", -EINVAL, "1 to 16777215");
	assert_fails("first:pipes=0", -EINVAL, "1 to 4194303");
}

#define CLAIM(function) cmocka_unit_test_setup(function, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_name_chooses_the_kind),
		CLAIM(no_name_means_the_environment_then_the_first),
		CLAIM(unknown_kinds_say_what_there_is),
		CLAIM(unknown_ports_say_what_there_is),
		CLAIM(a_kind_that_cannot_open_says_why),
		CLAIM(options_have_defaults),
		CLAIM(case_28_the_header_names_the_defaults_that_are_used),
		CLAIM(options_are_parsed),
		CLAIM(sizes_have_units),
		CLAIM(wrong_options_are_named),
		CLAIM(numbers_out_of_range_say_the_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
