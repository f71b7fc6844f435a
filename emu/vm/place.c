#include "emu/vm/place.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct vm_path join(const char *folder, const char *rest, const char *name)
{
	struct vm_path path;

	/* What is too long exists nowhere. */
	if (snprintf(path.text, sizeof path.text, "%s%s%s", folder, rest, name) >=
		(int)sizeof path.text)
		path.text[0] = '\0';
	return path;
}

/* The folder that holds bin/ and lib/. */
static struct vm_path own_folder(void)
{
	struct vm_path path;
	ssize_t length = readlink("/proc/self/exe", path.text, sizeof path.text - 1);

	path.text[length > 0 ? length : 0] = '\0';
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(path.text, '/');

		if (slash)
			*slash = '\0';
	}
	return path;
}

struct vm_path vm_place_library(const char *name)
{
	return join(own_folder().text, "/lib/nearside/", name);
}

struct vm_path vm_place_program(const char *name)
{
	return join(own_folder().text, "/bin/", name);
}

static bool is_build_folder(const char *folder)
{
	return access(join(folder, "/CMakeCache.txt", "").text, F_OK) == 0;
}

struct vm_path vm_place_cached(const char *name)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	struct vm_path own = own_folder();

	if (is_build_folder(own.text))
		return join(own.text, "/vm/", name);
	if (cache && *cache)
		return join(cache, "/nearside/", name);
	return join(home ? home : "/tmp", "/.cache/nearside/", name);
}
