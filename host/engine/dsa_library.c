#include "host/engine/dsa_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
#define DSA_ROW(name) {#name, offsetof(struct dsa_library, name)},
	DSA_LIBRARY(DSA_ROW)
#undef DSA_ROW
};

const char *dsa_library_load(struct dsa_library *library)
{
	library->handle = dlopen("libaccel-config.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!library->handle)
		return "libaccel-config.so.1";
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
		void *function = dlsym(library->handle, functions[i].name);

		if (!function)
			return functions[i].name;
		memcpy((char *)library + functions[i].offset, &function, sizeof function);
	}
	return NULL;
}

void dsa_library_name(const struct dsa_library *library, char *name, size_t nbytes)
{
	char path[PATH_MAX] = "of an unknown version";
	struct link_map *map;

	if (!dlinfo(library->handle, RTLD_DI_LINKMAP, &map) && !realpath(map->l_name, path))
		snprintf(path, sizeof path, "%s", map->l_name);
	snprintf(name, nbytes, "%s", basename(path));
}
