/* Reports: JSON that a parser reads back, files that are whole or not there. */
#include "tests/apps/graph/built.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/graph/report.h"

static struct problem problem;
static char folder[64];
static bool has_nameless_files;

/* In place of open() for all of this program (a linker option): a system without nameless files. */
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
	va_list args;
	int mode;

	if (!has_nameless_files && (flags & O_TMPFILE) == O_TMPFILE) {
		errno = EOPNOTSUPP;
		return -1;
	}
	va_start(args, flags);
	mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(args, int) : 0;
	va_end(args);
	return __real_open(path, flags, mode);
}

/* 0 -> 1 -> 2, 3 apart, searched from 0; ids count from 1 as in a .gr file. */
struct scene {
	struct options options;
	struct graph graph;
	struct device device;
	struct search search;
	struct report report;
};

static int set_up(void **state)
{
	static struct scene scene;

	has_nameless_files = true;
	strcpy(folder, "graph-test-XXXXXX");
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	scene.options = (struct options){.origin = FROM_FILE, .path = "odd\"name\\\xff.el"};
	scene.graph = built_graph(4, "0>1 1>2", &(struct graph_shape){0});
	scene.graph.labels.first = 1;
	assert_int_equal(search_on_cpu(&scene.graph, 0, &scene.search, &problem), 0);
	scene.device = (struct device){.cores = 2};
	strcpy(scene.device.info.name, "inproc:cores=2");
	scene.report = (struct report){.out = stdout,
		.options = &scene.options,
		.graph = &scene.graph,
		.device = &scene.device,
		.search = &scene.search,
		.traffic = {10, 5, 100, 1, 4000, 300},
		.verdict = VERIFIED};
	*state = &scene;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *scene = *state;

	search_close(&scene->search);
	graph_close(&scene->graph);
	unlink("out");
	unlink("link");
	assert_int_equal(chdir(".."), 0);
	return rmdir(folder); /* fails where a temporary file was left */
}

/* What a report prints; to be freed. */
static char *printed(
	int (*print)(const struct report *, struct problem *), const struct report *report)
{
	char *text = calloc(1, 8192);
	int out = dup(STDOUT_FILENO), fd = file_of("", 0);

	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	assert_int_equal(print(report, &problem), 0);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	assert_true(pread(fd, text, 8191, 0) > 0);
	close(fd);
	return text;
}

static json_int_t integer(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	assert_true(json_is_integer(value));
	return json_integer_value(value);
}

static void json_has_everything_that_is_promised(void **state)
{
	struct scene *scene = *state;
	json_t *root, *traffic;
	char *text;

	scene->report.cpu_seconds = 0.1 + 0.2; /* 0.30000000000000004 to a computer */
	text = printed(report_json, &scene->report);
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	traffic = json_object_get(root, "traffic");

	assert_non_null(root);
	assert_int_equal(integer(root, "vertices"), 4);
	assert_int_equal(integer(root, "edges"), 2);
	assert_int_equal(integer(root, "source"), 1);
	assert_int_equal(integer(root, "reached"), 3);
	assert_int_equal(integer(root, "max_depth"), 2);
	assert_int_equal(integer(root, "widest_level"), 0);
	assert_int_equal(integer(root, "widest_level_vertices"), 1);
	assert_true(json_is_real(json_object_get(root, "seconds")));
	assert_non_null(strstr(text, "\"cpu_seconds\": 0.3,"));
	assert_true(json_is_true(json_object_get(root, "verified")));
	assert_int_equal(integer(traffic, "lines_down"), 10);
	assert_int_equal(integer(traffic, "lines_up"), 5);
	assert_int_equal(integer(traffic, "lines"), 15);
	assert_int_equal(integer(traffic, "cpu_only_lines"), 100);
	assert_int_equal(integer(traffic, "far_bytes_read"), 4000);
	assert_int_equal(integer(traffic, "far_bytes_written"), 300);
	assert_string_equal(
		json_string_value(json_object_get(traffic, "cpu_only_rule")), traffic_rule);
	assert_string_equal(json_string_value(json_object_get(root, "graph")), "odd\"name\\?.el");
	json_decref(root);
	free(text);
}

static void json_says_when_nothing_was_verified_and_nothing_searched(void **state)
{
	struct scene *scene = *state;
	json_t *root;
	char *text;

	scene->report.verdict = NOT_VERIFIED;
	scene->report.device = NULL;
	scene->search.source = NO_VERTEX;
	text = printed(report_json, &scene->report);
	root = json_loads(text, 0, NULL);
	assert_true(json_is_null(json_object_get(root, "verified")));
	assert_true(json_is_null(json_object_get(root, "source")));
	assert_true(json_is_null(json_object_get(root, "device")));
	json_decref(root);
	free(text);
}

static void text_names_the_search_without_its_time(void **state)
{
	struct scene *scene = *state;
	char *text = printed(report_text, &scene->report);

	assert_non_null(strstr(text,
		"\nsearch    from 1: reached 3 vertices, depth 2, widest level 0 (1 vertex)\n"));
	/* As a whole it is wider than a line. */
	assert_non_null(memmem(text, strlen(text), traffic_rule, strcspn(traffic_rule, ";") + 1));
	free(text);
}

static void levels_are_shown_with_their_best_connected_vertices(void **state)
{
	struct scene *scene = *state;
	char *text;

	scene->options.top = 1;
	text = printed(report_text, &scene->report);
	assert_non_null(strstr(text, "        0         1 ######################## 1\n"));
	assert_non_null(strstr(text, "        2         1 ######################## 3\n"));
	free(text);
}

static void one_of_a_kind_is_not_called_many(void **state)
{
	struct scene *scene = *state;
	char *text;

	scene->report.traffic = (struct traffic){1, 0, 1, 1, 1, 1};
	text = printed(report_text, &scene->report);
	assert_null(strstr(text, " 1 lines"));
	assert_null(strstr(text, "(1 vertices)"));
	free(text);
}

static char *content_of(const char *path)
{
	static char text[256];
	int fd = open(path, O_RDONLY);
	ssize_t nbytes = read(fd, text, sizeof text - 1);

	assert_true(nbytes >= 0);
	text[nbytes] = 0;
	close(fd);
	return text;
}

static const char result[] = "# vertex depth parent\n1 0 1\n2 1 1\n3 2 2\n";

/* The whole way of an output. */
static int write_result(const struct scene *scene, const char *path)
{
	struct output output;
	int error = output_open(&output, path, NULL, &problem);

	if (!error)
		error = report_output(&output, &scene->graph, &scene->search, &problem);
	output_close(&output);
	return error;
}

static unsigned names_in_folder(void)
{
	DIR *here = opendir(".");
	unsigned count = 0;

	while (readdir(here))
		count++;
	closedir(here);
	return count - 2; /* . and .. */
}

static void output_lists_reached_vertices_by_the_ids_of_the_file(void **state)
{
	assert_int_equal(write_result(*state, "out"), 0);
	assert_string_equal(content_of("out"), result);
}

static void output_replaces_a_file_only_when_it_is_complete(void **state)
{
	int fd = open("out", O_WRONLY | O_CREAT, 0600);
	struct stat before, after;

	assert_int_equal(write(fd, "old", 3), 3);
	fstat(fd, &before);
	close(fd);
	assert_int_equal(write_result(*state, "out"), 0);
	stat("out", &after);
	assert_int_not_equal(before.st_ino, after.st_ino);
	assert_string_equal(content_of("out"), result);
}

static void case_74_output_has_no_name_that_a_killed_program_could_leave(void **state)
{
	struct scene *scene = *state;
	struct output output;
	int fd = open(".", O_TMPFILE | O_WRONLY, 0600);

	if (fd < 0) {
		print_message("skipped: this file system has no files without names\n");
		skip();
	}
	close(fd);
	assert_int_equal(output_open(&output, "out", NULL, &problem), 0);
	assert_int_equal(write(output_begin(&output, &problem), "half", 4), 4);
	assert_int_equal(names_in_folder(), 0);
	output_close(&output);
	assert_int_equal(names_in_folder(), 0);
	assert_int_equal(write_result(scene, "out"), 0);
	assert_int_equal(names_in_folder(), 1);
}

static void output_is_complete_where_files_without_names_are_not_to_be_had(void **state)
{
	struct output output;

	has_nameless_files = false;
	assert_int_equal(output_open(&output, "out", NULL, &problem), 0);
	assert_int_equal(names_in_folder(), 0);
	assert_true(output_begin(&output, &problem) >= 0);
	assert_int_equal(names_in_folder(), 1);
	output_close(&output);
	assert_int_equal(names_in_folder(), 0);
	assert_int_equal(write_result(*state, "out"), 0);
	assert_int_equal(write_result(*state, "out"), 0);
	assert_string_equal(content_of("out"), result);
	assert_int_equal(names_in_folder(), 1);
}

static void output_through_a_link_replaces_what_it_points_to(void **state)
{
	struct stat status;

	close(open("out", O_WRONLY | O_CREAT, 0600));
	assert_int_equal(symlink("out", "link"), 0);
	assert_int_equal(write_result(*state, "link"), 0);
	assert_int_equal(lstat("link", &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_string_equal(content_of("out"), result);
}

static void output_to_a_device_writes_to_it(void **state)
{
	struct stat status;

	assert_int_equal(write_result(*state, "/dev/null"), 0);
	assert_int_equal(stat("/dev/null", &status), 0);
	assert_true(S_ISCHR(status.st_mode));
}

static void output_onto_the_graph_itself_is_refused_by_whatever_name(void **state)
{
	struct output output;
	int fd = open("out", O_WRONLY | O_CREAT, 0600);

	(void)state;
	assert_int_equal(write(fd, "0 1", 3), 3);
	close(fd);
	assert_int_equal(symlink("out", "link"), 0);
	assert_int_equal(output_open(&output, "out", "out", &problem), -EINVAL);
	assert_int_equal(output_open(&output, "out", "link", &problem), -EINVAL);
	assert_int_equal(output_open(&output, "link", "./out", &problem), -EINVAL);
	assert_string_equal(
		problem.text, "link: is the graph's own file; the result must go to another one");
	assert_string_equal(content_of("out"), "0 1");
	assert_int_equal(output_open(&output, "/dev/null", "/dev/null", &problem), 0);
	output_close(&output);
}

static void output_that_cannot_be_written_is_an_error_and_leaves_nothing(void **state)
{
	struct output output;

	assert_int_equal(write_result(*state, "/dev/full"), -ENOSPC);
	assert_string_equal(problem.text, "/dev/full: cannot write: No space left on device");
	assert_int_equal(output_open(&output, "no/folder", NULL, &problem), -ENOENT);
	assert_int_equal(output_open(&output, ".", NULL, &problem), -EISDIR);
	assert_int_equal(output_open(&output, "", NULL, &problem), -ENOENT);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(json_has_everything_that_is_promised),
		TEST(json_says_when_nothing_was_verified_and_nothing_searched),
		TEST(text_names_the_search_without_its_time),
		TEST(levels_are_shown_with_their_best_connected_vertices),
		TEST(one_of_a_kind_is_not_called_many),
		TEST(output_lists_reached_vertices_by_the_ids_of_the_file),
		TEST(output_replaces_a_file_only_when_it_is_complete),
		TEST(case_74_output_has_no_name_that_a_killed_program_could_leave),
		TEST(output_is_complete_where_files_without_names_are_not_to_be_had),
		TEST(output_through_a_link_replaces_what_it_points_to),
		TEST(output_to_a_device_writes_to_it),
		TEST(output_onto_the_graph_itself_is_refused_by_whatever_name),
		TEST(output_that_cannot_be_written_is_an_error_and_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
