/*
 * conformance DEVICE [GROUP]: one suite over all devices. DEVICE is a name as nproc_device_open()
 * takes it, or serve:OPTION,...: devices that nearside-device serves in files.
 */
#include "tests/conformance/served.h"
#include "tests/conformance/suite.h"

static const struct group {
	const char *name;
	int (*run)(void);
} groups[] = {
	{"arguments", run_arguments},
	{"births", run_births},
	{"blocked", run_blocked},
	{"calls", run_calls},
	{"calls_ended", run_calls_ended},
	{"capacity", run_capacity},
	{"coherence", run_coherence},
	{"copies", run_copies},
	{"delivered", run_delivered},
	{"births_abroad", run_births_abroad},
	{"endings", run_endings},
	{"ends", run_ends},
	{"ends_abroad", run_ends_abroad},
	{"faults", run_faults},
	{"forks", run_forks},
	{"images", run_images},
	{"kills", run_kills},
	{"life", run_life},
	{"logs", run_logs},
	{"loops", run_loops},
	{"many", run_many},
	{"memory", run_memory},
	{"mishaps", run_mishaps},
	{"packets", run_packets},
	{"parts", run_parts},
	{"pipes", run_pipes},
	{"polls", run_polls},
	{"random", run_random},
	{"readers", run_readers},
	{"relays", run_relays},
	{"sharing", run_sharing},
	{"signals", run_signals},
	{"threads", run_threads},
	{"traffic", run_traffic},
	{"turns", run_turns},
	{"waiting", run_waiting},
};

int main(int argc, char **argv)
{
	bool found = false;
	int failed = 0;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: conformance DEVICE [GROUP]\n");
		return 2;
	}
	suite.device_name = argv[1];
	if (!strncmp(argv[1], "serve:", 6)) {
		suite.served = argv[1] + 6;
		suite.device_name = served_start(suite.served);
		if (!suite.device_name)
			return 2;
	}
	printf("device: %s\n", suite.device_name);
	for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
		if (argc == 3 && strcmp(argv[2], groups[i].name) != 0)
			continue;
		found = true;
		failed += groups[i].run();
	}
	served_stop(NULL);
	if (!found)
		fprintf(stderr, "no such group\n");
	return failed || !found;
}
