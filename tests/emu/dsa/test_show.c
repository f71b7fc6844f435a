/*
 * Run by the model with --show=STATE, and STATE as its argument: what keeps a DSA from being used
 * is told apart, and each answer says what to type.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/device.h"
#include "host/engine.h"

static const char *shown;

static const struct {
	const char *state;
	const char *words;
	const char *remedy;
} expected[] = {
	{"no-module", "no DSA (no PCI function 8086:0b25)", ""},
	{"no-library", "libaccel-config.so.1 is missing", "apt install libaccel-config1"},
	{"no-device", "idxd is loaded, but /sys/bus/dsa/devices shows no DSA", "dmesg"},
	{"device-off", "the device is disabled", "accel-config enable-device dsa0"},
	{"halted", "the device has halted", "accel-config disable-device dsa0"},
	{"no-svm", "shared virtual memory is off", "sm_on"},
	{"no-queue", "shows no queues at all", "accel-config list"},
	{"queue-off", "disabled, and it names no driver", "--driver-name=user"},
	{"kernel-queue", "its type is not user", "accel-config disable-wq dsa0/wq0.0"},
	{"no-node", "/dev/dsa has no wq0.0", "--device /dev/dsa/wq0.0"},
};

static void case_1_case_2_case_7_case_13_case_17_what_is_missing_is_named(void **state)
{
	struct nhost_engine engine;
	struct nhost_error error;
	char text[4096];
	bool is_known = false;
	(void)state;

	assert_false(nhost_dsa_explain(text, sizeof text));
	assert_int_equal(nhost_engine_open("dsa", NULL, &engine, &error), -ENODEV);
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		if (strcmp(shown, expected[i].state) != 0)
			continue;
		is_known = true;
		if (!strstr(text, expected[i].words) || !strstr(text, expected[i].remedy))
			fail_msg("'%s' lacks '%s' or '%s'", text, expected[i].words,
				expected[i].remedy);
		if (!strstr(error.text, expected[i].words))
			fail_msg("'%s' lacks '%s'", error.text, expected[i].words);
	}
	assert_true(is_known);
}

static void case_11_no_threshold_is_proposed_for_a_dedicated_queue(void **state)
{
	char text[4096];
	(void)state;

	nhost_dsa_explain(text, sizeof text);
	assert_null(strstr(text, "threshold"));
}

static void a_file_that_may_not_be_opened_is_a_matter_of_permission(void **state)
{
	struct nhost_engine engine;
	struct nhost_error error;
	char text[4096];
	(void)state;

	if (geteuid() || strcmp(shown, "usable") != 0) {
		print_message("skipped: only root can take a file away from itself\n");
		skip();
	}
	assert_int_equal(chmod("/dev/dsa/wq0.0", 0600), 0);
	assert_int_equal(seteuid(65534), 0);
	assert_int_equal(nhost_engine_open("dsa", NULL, &engine, &error), -ENODEV);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(chmod("/dev/dsa/wq0.0", 0666), 0);
	assert_non_null(strstr(error.text, "chmod a+rw /dev/dsa/wq0.0"));
	assert_true(nhost_dsa_explain(text, sizeof text));
	assert_non_null(strstr(text, "wq0.0: usable"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest usable[] = {
		cmocka_unit_test(a_file_that_may_not_be_opened_is_a_matter_of_permission),
	};
	const struct CMUnitTest others[] = {
		cmocka_unit_test(case_1_case_2_case_7_case_13_case_17_what_is_missing_is_named),
		cmocka_unit_test(case_11_no_threshold_is_proposed_for_a_dedicated_queue),
	};

	if (argc != 2) {
		fprintf(stderr, "usage: nearside dsa-model --show=STATE -- %s STATE\n", argv[0]);
		return 2;
	}
	shown = argv[1];
	if (!strcmp(shown, "usable"))
		return cmocka_run_group_tests(usable, NULL, NULL);
	return cmocka_run_group_tests(others, NULL, NULL);
}
