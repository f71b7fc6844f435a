/* test_nprocc.c - nprocc as its users run it: exit codes, figures, limits, programs. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

static char output[100000]; /* of the last run, both streams */

/* Runs a shell command in an empty folder; returns its exit code. */
__attribute__((format(printf, 1, 2))) static int shell(const char *format, ...)
{
	char command[4096];
	int begin = snprintf(command, sizeof command, "cd %s && (", SCRATCH);
	va_list args;
	va_start(args, format);
	vsnprintf(command + begin, sizeof command - (size_t)begin, format, args);
	va_end(args);
	strncat(command, ") 2>&1", sizeof command - strlen(command) - 1);
	FILE *pipe = popen(command, "r");
	assert_non_null(pipe);
	size_t got = fread(output, 1, sizeof output - 1, pipe);
	output[got] = '\0';
	int status = pclose(pipe);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void assert_says(const char *text)
{
	if (!strstr(output, text))
		fail_msg("'%s' is not in: %s", text, output);
}

/* The number behind "NAME": in JSON. */
static unsigned long json_number(const char *name)
{
	char key[64];
	snprintf(key, sizeof key, "\"%s\": ", name);
	const char *at = strstr(output, key);
	if (!at)
		fail_msg("no %s in: %s", key, output);
	return strtoul(at + strlen(key), NULL, 10);
}

static int make_scratch(void **state)
{
	(void)state;
	return system("rm -rf " SCRATCH " && mkdir -p " SCRATCH);
}

static void key_counting_is_small(void **state)
{
	(void)state;
	assert_int_equal(
		shell(NPROCC " --report=json -c " SOURCE "/examples/keycount.c -o k.nk"), 0);
	assert_int_equal(output[0], '[');
	assert_true(json_number("frame_bytes") <= 128);
	assert_true(json_number("riscv64") <= 1024);
	assert_true(json_number("riscv64") > 0);
	assert_true(json_number("x86_64") > 0);
	assert_true(json_number("stack_bytes") > 0 && json_number("stack_bytes") <= 8192);
	assert_int_equal(json_number("suspends"), 2);
	assert_int_equal(json_number("yields"), 0);
	assert_int_equal(json_number("far_accesses"), 1);
}

static void report_has_a_line_per_kernel(void **state)
{
	(void)state;
	assert_int_equal(shell(NPROCC " --report -c " SOURCE "/examples/pipeline.c -o p.nk"), 0);
	assert_says("\nnumbers ");
	assert_says("\nprimes ");
	assert_says("\nsum ");
}

static void report_counts_yield_points(void **state)
{
	(void)state;
	assert_int_equal(shell(NPROCC " --report=json -c " SOURCE
				      "/tests/compiler/accepted/yield_points.c -o y.nk"),
		0);
	assert_int_equal(json_number("yields"), 4);
	assert_int_equal(json_number("suspends"), 5);
}

static void copies_of_what_is_not_scratch_memory_are_refused(void **state)
{
	(void)state;
	assert_int_equal(shell(NPROCC " -c " SIZES "/not_scratch.c -o n.nk"), 1);
	assert_says("not_scratch.c:9:2: error: nmem_get() copies to what is not in scratch memory");
	assert_says(
		"not_scratch.c:10:2: error: nmem_put() copies from what is not in scratch memory");
	assert_says(
		"not_scratch.c:11:2: error: nmem_get() copies to what is not in scratch memory");
	assert_says(
		"not_scratch.c:13:9: error: nmem_put() copies from what is not in scratch memory");
	assert_says("note: declare the variable with NPROC_SCRATCH");
	assert_null(strstr(output, "not_scratch.c:12:"));
}

static void too_large_a_frame_is_refused_by_name(void **state)
{
	(void)state;
	assert_int_equal(shell(NPROCC " -c " SIZES "/frame.c -o f.nk"), 1);
	assert_says("frame.c:3:1: error: the frame of kernel 'too_large' has ");
	assert_says("note: 'message' alone has 5000 bytes");
	assert_int_equal(shell("test -e f.nk"), 1);
}

static void too_deep_a_stack_is_refused_by_name(void **state)
{
	(void)state;
	assert_int_equal(shell(NPROCC " -c " SIZES "/stack.c -o s.nk"), 1);
	assert_says("stack.c:3:1: error: the stack of kernel 'too_deep' has ");
	assert_says("note: 'table' alone has 9000 bytes");
}

static void too_much_code_is_refused(void **state)
{
	(void)state;
	assert_int_equal(shell(NPROCC " -c " SIZES "/code.c -o c.nk"), 1);
	assert_says("error: the code of kernel 'too_long' has ");
}

static void two_kernels_of_one_name_are_refused(void **state)
{
	(void)state;
	assert_int_equal(shell(NPROCC " -c " SIZES "/frame.c " SIZES "/same.c -o t.nk"), 1);
	assert_says("same.c:4:1: error: a second kernel of the name 'too_large'");
	assert_says("frame.c:3:1: note: the first one is here");
}

static void image_without_kernels_is_refused(void **state)
{
	(void)state;
	assert_int_equal(shell(NPROCC " -c " SIZES "/host_only.c"), 1);
	assert_says("no kernel in here");
}

static void program_without_kernels_is_made_with_a_warning(void **state)
{
	(void)state;
	assert_int_equal(shell(NPROCC " " SIZES "/host_only.c -o host_only && ./host_only"), 0);
	assert_says("host_only.c: warning: no kernel in here");
}

static void wrong_usage_is_exit_code_2(void **state)
{
	(void)state;
	assert_int_equal(shell(NPROCC " --nonsense"), 2);
	assert_int_equal(shell(NPROCC), 2);
	assert_int_equal(shell(NPROCC " --help"), 0);
	assert_says("Exit code");
	assert_int_equal(shell(NPROCC " --version"), 0);
}

/* A page without the marks of roff; in the help options are words that begin with a hyphen. */
static void every_option_of_the_help_is_in_the_manual_page(void **state)
{
	(void)state;
	assert_int_equal(
		shell("sed -e 's/\\\\f.//g' -e 's/\\\\//g' " SOURCE
		      "/docs/man/nprocc.1 >page && " NPROCC
		      " --help | grep -oE -e '(^|[ ,[])-[-A-Za-z0-9]+=?[a-z]*' | tr -d ' ,[' |"
		      " sort -u >options && test $(wc -l <options) -gt 20"),
		0);
	assert_int_equal(
		shell("while read -r o; do grep -qF -e \"$o\" page || echo \"$o\"; done <options"),
		0);
	assert_string_equal(output, "");
}

static void image_goes_to_standard_output(void **state)
{
	(void)state;
	assert_int_equal(shell(NPROCC " -c " SOURCE "/examples/hello.c -o - >piped.nk && " NPROCC
				      " -c " SOURCE
				      "/examples/hello.c -o named.nk && cmp piped.nk named.nk"),
		0);
	assert_string_equal(output, "");
	assert_int_equal(shell(NPROCC " -c " SOURCE "/examples/hello.c -o - >/dev/full"), 2);
	assert_says("nprocc: cannot write to standard output: No space left on device");
}

static void missing_source_is_exit_code_1(void **state)
{
	(void)state;
	assert_int_equal(shell(NPROCC " -c nowhere.c"), 1);
	assert_says("nowhere.c");
}

static void verbose_names_steps_and_their_time(void **state)
{
	(void)state;
	assert_int_equal(shell(NPROCC " -v -c " SOURCE "/examples/hello.c"), 0);
	assert_says("suspend");
	assert_says("riscv64");
	assert_says(" ms\n");
	assert_int_equal(shell("test -e hello.nk"), 0);
}

static void dump_prints_code_after_a_step(void **state)
{
	(void)state;
	assert_int_equal(shell(NPROCC " --dump=suspend -c " SOURCE "/examples/hello.c"), 0);
	assert_says("llvm.coro.suspend");
}

/* Two sources, a host object and a library; clean away from the build tree. */
static void program_is_linked_from_several_inputs(void **state)
{
	(void)state;
	assert_int_equal(
		shell("printf '#include <math.h>\\ndouble half(double v) { return floor(v / 2); }\\n' >half.c &&"
		      " cc -c half.c -o half.o && printf 'double half(double);\\n#include <nearside/kernel.h>\\n"
		      "NPROC_KERNEL int64_t one(void) { return 1; }\\n"
		      "int main(void) { return half(nearside_image_end - nearside_image_begin > 1000"
		      " ? 10 : 2); }\\n' >main.c"),
		0);
	assert_int_equal(shell(NPROCC " -Wall -Wextra -Werror main.c half.o -lm -o several"), 0);
	assert_string_equal(output, "");
	assert_int_equal(shell("./several"), 5);
}

/* Kernels leave nothing behind in host code, not even a call that cannot be linked. */
static void host_code_holds_no_kernel(void **state)
{
	(void)state;
	assert_int_equal(
		shell(NPROCC " -O0 " SOURCE
			     "/examples/hello.c -o hello && nm hello | grep -w 'nk_[a-z]*'"),
		1);
	assert_string_equal(output, "");
}

/* Where variables are is for debuggers; the lines of code are for traps, too (host/lines.c). */
static void debug_information_is_kept_on_request(void **state)
{
	(void)state;
	assert_int_equal(
		shell(NPROCC " -g -c " SOURCE
			     "/examples/hello.c -o debug.nk && grep -c debug_loclists debug.nk"),
		0);
	assert_int_equal(
		shell(NPROCC " -c " SOURCE
			     "/examples/hello.c -o plain.nk && grep -c debug_loclists plain.nk"),
		1);
	assert_int_equal(shell("grep -c debug_line plain.nk"), 0);
}

static void dependencies_are_written_for_make(void **state)
{
	(void)state;
	assert_int_equal(
		shell(NPROCC " -c " SOURCE "/examples/hello.c -o dep.nk -MF dep.d && cat dep.d"),
		0);
	assert_int_equal(strncmp(output, "dep.nk:", 7), 0);
	assert_says("nearside/kernel.h");
}

static void nothing_is_left_behind(void **state)
{
	(void)state;
	assert_int_equal(shell("mkdir -p tmp && TMPDIR=tmp " NPROCC " -c " SOURCE
			       "/examples/hello.c && ls tmp"),
		0);
	assert_string_equal(output, "");
	assert_int_equal(shell("TMPDIR=tmp " NPROCC " -c " SIZES "/frame.c >all.txt; ls tmp"), 0);
	assert_int_equal(shell("ls tmp"), 0);
	assert_string_equal(output, "");
}

/*
 * The rule for make tells that the folder is there; the image, which nobody reads, keeps nprocc
 * waiting.
 */
static void signal_leaves_nothing_behind(void **state)
{
	(void)state;
	assert_int_equal(shell("mkdir -p held && mkfifo held.d held.nk"), 0);
	assert_int_equal(shell("TMPDIR=held " NPROCC " -c " SOURCE
			       "/examples/hello.c -o held.nk -MF held.d & cat held.d >rule;"
			       " ls held; kill -TERM $!; wait $!"),
		128 + SIGTERM);
	assert_says("nprocc-");
	assert_int_equal(shell("ls held"), 0);
	assert_string_equal(output, "");
}

static void full_standard_output_is_exit_code_2(void **state)
{
	(void)state;
	assert_int_equal(shell(NPROCC " --help >/dev/full"), 2);
	assert_says("nprocc: cannot write to standard output: No space left on device");
	assert_int_equal(shell(NPROCC " --version >/dev/full"), 2);
	assert_int_equal(shell(NPROCC " --report -c " SOURCE "/examples/hello.c >/dev/full"), 2);
	assert_says("nprocc: cannot write to standard output: No space left on device");
}

static void what_cannot_be_written_goes_unless_it_is_a_device(void **state)
{
	(void)state;
	assert_int_equal(shell("ln -s /dev/full full.nk"), 0);
	assert_int_equal(shell(NPROCC " -c " SOURCE "/examples/hello.c -o full.nk"), 1);
	assert_says("full.nk: error: cannot be written: No space left on device");
	assert_int_equal(shell("test -L full.nk"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_counting_is_small),
		cmocka_unit_test(report_has_a_line_per_kernel),
		cmocka_unit_test(report_counts_yield_points),
		cmocka_unit_test(copies_of_what_is_not_scratch_memory_are_refused),
		cmocka_unit_test(too_large_a_frame_is_refused_by_name),
		cmocka_unit_test(too_deep_a_stack_is_refused_by_name),
		cmocka_unit_test(too_much_code_is_refused),
		cmocka_unit_test(two_kernels_of_one_name_are_refused),
		cmocka_unit_test(image_without_kernels_is_refused),
		cmocka_unit_test(program_without_kernels_is_made_with_a_warning),
		cmocka_unit_test(wrong_usage_is_exit_code_2),
		cmocka_unit_test(every_option_of_the_help_is_in_the_manual_page),
		cmocka_unit_test(image_goes_to_standard_output),
		cmocka_unit_test(missing_source_is_exit_code_1),
		cmocka_unit_test(verbose_names_steps_and_their_time),
		cmocka_unit_test(dump_prints_code_after_a_step),
		cmocka_unit_test(program_is_linked_from_several_inputs),
		cmocka_unit_test(host_code_holds_no_kernel),
		cmocka_unit_test(debug_information_is_kept_on_request),
		cmocka_unit_test(dependencies_are_written_for_make),
		cmocka_unit_test(nothing_is_left_behind),
		cmocka_unit_test(signal_leaves_nothing_behind),
		cmocka_unit_test(full_standard_output_is_exit_code_2),
		cmocka_unit_test(what_cannot_be_written_goes_unless_it_is_a_device),
	};
	return cmocka_run_group_tests(tests, make_scratch, NULL);
}
