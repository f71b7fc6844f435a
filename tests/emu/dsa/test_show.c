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
#include <sys/utsname.h>
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

/* Whoever asks for help is asked for both. */
static void case_5_versions_of_kernel_and_library_are_told(void **state)
{
	struct utsname system;
	char text[4096];
	(void)state;

	assert_int_equal(uname(&system), 0);
	nhost_dsa_explain(text, sizeof text);
	assert_non_null(strstr(text, system.release));
	if (strcmp(shown, "no-module") && strcmp(shown, "no-library"))
		assert_non_null(strstr(text, "libaccel-config: libaccel-config.so.1."));
}

/* The model has a dedicated and a shared queue. */
static void case_10_where_shared_mode_is_refused_a_dedicated_queue_is_used(void **state)
{
	struct nhost_engine engine;
	struct nhost_error error;
	char text[4096];
	(void)state;

	assert_true(nhost_dsa_explain(text, sizeof text));
	if (!strstr(text, "the driver says: this platform supports no shared queues (0x800c0000)"))
		fail_msg("the driver's reason is not quoted: %s", text);
	assert_non_null(strstr(text, "--mode=dedicated dsa0/wq0.1"));
	if (nhost_engine_open("dsa", NULL, &engine, &error))
		fail_msg("%s", error.text);
	engine.ops->explain(&engine, text, sizeof text);
	assert_non_null(strstr(text, "queue wq0.0 of dsa0, dedicated"));
	nhost_engine_close(&engine);
}

/* The model has two devices: dsa0 is on node 1, dsa1 on node 0, where this machine has its own. */
static void the_device_on_the_nearest_node_is_used(void **state)
{
	struct nhost_engine engine;
	struct nhost_error error;
	char text[4096];
	(void)state;

	if (nhost_engine_open("dsa", NULL, &engine, &error))
		fail_msg("%s", error.text);
	engine.ops->explain(&engine, text, sizeof text);
	assert_non_null(strstr(text, "queue wq1.0 of dsa1"));
	assert_non_null(strstr(text, "wq0.0: dsa0, node 1"));
	assert_non_null(strstr(text, "wq1.0: dsa1, node 0"));
	nhost_engine_close(&engine);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest shared_refused[] = {
		cmocka_unit_test(case_10_where_shared_mode_is_refused_a_dedicated_queue_is_used),
	};
	const struct CMUnitTest two_devices[] = {
		cmocka_unit_test(the_device_on_the_nearest_node_is_used),
	};
	const struct CMUnitTest usable[] = {
		cmocka_unit_test(a_file_that_may_not_be_opened_is_a_matter_of_permission),
		cmocka_unit_test(case_5_versions_of_kernel_and_library_are_told),
	};
	const struct CMUnitTest others[] = {
		cmocka_unit_test(case_1_case_2_case_7_case_13_case_17_what_is_missing_is_named),
		cmocka_unit_test(case_11_no_threshold_is_proposed_for_a_dedicated_queue),
		cmocka_unit_test(case_5_versions_of_kernel_and_library_are_told),
	};

	if (argc != 2) {
		fprintf(stderr, "usage: nearside dsa-model --show=STATE -- %s STATE\n", argv[0]);
		return 2;
	}
	shown = argv[1];
	if (!strcmp(shown, "usable"))
		return cmocka_run_group_tests(usable, NULL, NULL);
	if (!strcmp(shown, "shared-refused"))
		return cmocka_run_group_tests(shared_refused, NULL, NULL);
	if (!strcmp(shown, "two-devices"))
		return cmocka_run_group_tests(two_devices, NULL, NULL);
	return cmocka_run_group_tests(others, NULL, NULL);
}
