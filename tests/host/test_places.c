/*
 * What the kernel says of memory that regions may lie in, in trees like those of sysfs, and the
 * names of devices that say where they are.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/region_dax.h"
#include "host/region_numa.h"

static char folder[64];
static struct nhost_error error;

static void say(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/nearside-places-XXXXXX");
	return !mkdtemp(folder);
}

static int remove_folder(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof command, "rm -r %s", folder);
	return system(command);
}

/* ---- device DAX ------------------------------------------------------------------------------ */

static void case_41_size_and_alignment_of_a_dax_are_the_kernels(void **state)
{
	struct nhost_dax dax;
	(void)state;
	say("size", "268435456\n");
	say("align", "2097152\n");

	assert_int_equal(nhost_dax_read(folder, &dax, &error), 0);
	assert_int_equal(dax.nbytes, 268435456);
	assert_int_equal(dax.align, 2097152);

	say("align", "1073741824\n");
	assert_int_equal(nhost_dax_read(folder, &dax, &error), -EPROTO); /* larger than it is */
	say("size", "1000\n");
	say("align", "4096\n");
	assert_int_equal(nhost_dax_read(folder, &dax, &error), -EPROTO);
}

static void what_has_no_size_is_no_dax(void **state)
{
	struct nhost_dax dax;
	(void)state;

	assert_int_equal(nhost_dax_read(folder, &dax, &error), -ENODEV);
	assert_non_null(strstr(error.text, "no device DAX"));
}

/* ---- NUMA ------------------------------------------------------------------------------------ */

/* Nodes from 0 on, as a thread on node 0 sees them. */
static struct nhost_nodes nodes;

static void add_node(bool has_memory, bool has_processors, unsigned distance)
{
	nodes.node[nodes.count].has_memory = has_memory;
	nodes.node[nodes.count].has_processors = has_processors;
	nodes.node[nodes.count++].distance = distance;
}

static int forget_nodes(void **state)
{
	(void)state;
	nodes = (struct nhost_nodes){.count = 0};
	return 0;
}

static void far_is_the_nearest_node_without_processors(void **state)
{
	(void)state;
	add_node(true, true, 10);
	add_node(true, true, 21);
	add_node(true, false, 40);
	add_node(true, false, 30);

	assert_int_equal(nhost_numa_choose(&nodes, "far", &error), 3);
}

static void far_is_the_most_distant_node_when_all_have_processors(void **state)
{
	(void)state;
	add_node(true, true, 10);
	add_node(false, true, 90);
	add_node(true, true, 40);
	add_node(true, true, 30);

	assert_int_equal(nhost_numa_choose(&nodes, "far", &error), 2);
}

static void one_node_is_not_far(void **state)
{
	(void)state;
	add_node(true, true, 10);

	assert_int_equal(nhost_numa_choose(&nodes, "far", &error), -ENODEV);
	assert_non_null(strstr(error.text, "numa:0 takes it all the same"));
	assert_int_equal(nhost_numa_choose(&nodes, "0", &error), 0);
}

static void a_node_must_have_memory(void **state)
{
	(void)state;
	add_node(true, true, 10);
	add_node(false, true, 20);
	add_node(true, false, 30);

	assert_int_equal(nhost_numa_choose(&nodes, "2", &error), 2);
	assert_int_equal(nhost_numa_choose(&nodes, "1", &error), -ENODEV);
	assert_non_null(strstr(error.text, "nodes with memory: 0, 2"));
	assert_int_equal(nhost_numa_choose(&nodes, "3", &error), -ENODEV);
	assert_int_equal(nhost_numa_choose(&nodes, "2x", &error), -EINVAL);
	assert_int_equal(nhost_numa_choose(&nodes, "near", &error), -EINVAL);
}

static void a_kernel_without_numa_says_so(void **state)
{
	(void)state;

	assert_int_equal(nhost_numa_choose(&nodes, "far", &error), -ENOSYS);
	assert_non_null(strstr(error.text, "CONFIG_NUMA"));
}

/* Whatever this machine has: what libnuma says of it can be chosen, or names what is there. */
static void nodes_that_this_machine_has_can_be_chosen(void **state)
{
	char number[16];

	(void)state;
	nhost_nodes_read(&nodes);
	for (unsigned node = 0; node < nodes.count; node++) {
		snprintf(number, sizeof number, "%u", node);
		assert_int_equal(nhost_numa_choose(&nodes, number, &error),
			nodes.node[node].has_memory ? (int)node : -ENODEV);
	}
}

/* ---- names ----------------------------------------------------------------------------------- */

static void a_place_stands_in_front_of_the_options(void **state)
{
	struct nhost_options options;
	(void)state;

	assert_int_equal(
		nhost_options_parse("/dev/a=b,suspect=9", NHOST_PLACE, true, &options, &error), 0);
	assert_string_equal(options.place, "/dev/a=b");
	assert_int_equal(options.suspect_s, 9);
	assert_int_equal(nhost_options_parse("", NHOST_PLACE, true, &options, &error), -EINVAL);
	assert_int_equal(
		nhost_options_parse("cores=3", NHOST_PLACE_OR_NONE, false, &options, &error), 0);
	assert_string_equal(options.place, "");
	assert_int_equal(options.cores, 3);
	assert_int_equal(
		nhost_options_parse("/run/x,cores=2", NHOST_PLACE_OR_NONE, false, &options, &error),
		0);
	assert_string_equal(options.place, "/run/x");
}

static void options_of_a_device_that_is_made_are_refused(void **state)
{
	struct nhost_options options;
	(void)state;

	assert_int_equal(
		nhost_options_parse("/x,cores=2", NHOST_PLACE, true, &options, &error), -EINVAL);
	assert_non_null(strstr(error.text, "nearside-device serve, as --cores"));
}

int main(void)
{
#define CLAIM(function) cmocka_unit_test_setup_teardown(function, make_folder, remove_folder)
	const struct CMUnitTest tests[] = {
		CLAIM(case_41_size_and_alignment_of_a_dax_are_the_kernels),
		CLAIM(what_has_no_size_is_no_dax),
		cmocka_unit_test_setup(far_is_the_nearest_node_without_processors, forget_nodes),
		cmocka_unit_test_setup(
			far_is_the_most_distant_node_when_all_have_processors, forget_nodes),
		cmocka_unit_test_setup(one_node_is_not_far, forget_nodes),
		cmocka_unit_test_setup(a_node_must_have_memory, forget_nodes),
		cmocka_unit_test_setup(a_kernel_without_numa_says_so, forget_nodes),
		cmocka_unit_test_setup(nodes_that_this_machine_has_can_be_chosen, forget_nodes),
		CLAIM(a_place_stands_in_front_of_the_options),
		CLAIM(options_of_a_device_that_is_made_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
