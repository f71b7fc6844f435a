/* front_run.c - NPROCC_PATH is the compiler under test; CMake sets it. */
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "front_run.h"

extern char **environ;

static char folder[64];

const char *run_folder(void)
{
	if (!*folder) {
		strcpy(folder, "/tmp/nprocc-test-XXXXXX");
		assert_non_null(mkdtemp(folder));
	}
	return folder;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
	(void)status;
	(void)kind;
	(void)walk;
	return remove(path);
}

void run_clean(void)
{
	if (*folder)
		nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	*folder = '\0';
}

static char *path_in_folder(const char *name)
{
	char *path = NULL;
	assert_true(asprintf(&path, "%s/%s", run_folder(), name) > 0);
	return path;
}

char *run_file(const char *name, const void *bytes, size_t nbytes)
{
	char *path = path_in_folder(name);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, nbytes, file), nbytes);
	assert_int_equal(fclose(file), 0);
	return path;
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	char *text = NULL;
	size_t nbytes = 0;
	FILE *memory = open_memstream(&text, &nbytes);
	assert_non_null(memory);
	for (int c; (c = fgetc(file)) != EOF;)
		fputc(c, memory);
	fclose(file);
	fclose(memory);
	return text;
}

void run_nprocc(struct run *run, const char *path, const char *extra)
{
	char *image = path_in_folder("image.nk"), *output = path_in_folder("output");
	const char *argv[] = {NPROCC_PATH, "-c", path, "-o", image, extra, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(
		&actions, STDERR_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	pid_t child;
	int status = 0;
	assert_int_equal(
		posix_spawn(&child, argv[0], &actions, NULL, (char *const *)argv, environ), 0);
	posix_spawn_file_actions_destroy(&actions);
	assert_int_equal(waitpid(child, &status, 0), child);
	run->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	run->output = read_file(output);
	free(image);
	free(output);
}

void assert_output(const struct run *run, const char *path, const char *expected)
{
	char *text = NULL;
	size_t nbytes = 0;
	FILE *memory = open_memstream(&text, &nbytes);
	assert_non_null(memory);
	for (const char *at = expected; *at; at++) {
		if (at[0] == '%' && at[1] == 's') {
			fputs(path, memory);
			at++;
		} else {
			fputc(*at, memory);
		}
	}
	fclose(memory);
	assert_string_equal(run->output, text);
	free(text);
}
