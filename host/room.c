/*
 * room.c - the limits of memory along the control groups of this program, of the second version or
 * the first; and what the machine has left.
 *
 *     /proc/self/cgroup      which group; its path counts from the root of this namespace
 *     /proc/self/mountinfo   where the groups are seen, and from which one on
 */
#include "host/room.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names of one version. */
struct names {
	const char *type;       /* of the file system */
	const char *controller; /* among its options; "": always */
	const char *most, *used;
	const char *inactive, *active; /* in memory.stat: pages of files that can be given up */
};

static const struct names second = {
	"cgroup2", "", "memory.max", "memory.current", "inactive_file ", "active_file "};
static const struct names first = {"cgroup", "memory", "memory.limit_in_bytes",
	"memory.usage_in_bytes", "total_inactive_file ", "total_active_file "};

/* ---- files ----------------------------------------------------------------------------------- */

static FILE *open_at(const char *root, const char *folder, const char *name)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof path, "%s%s/%s", root, folder, name) >= (int)sizeof path)
		return NULL;
	return fopen(path, "re");
}

/* The number behind the word that a line begins with, "": of the first line; false: none. */
static bool read_number(
	const char *root, const char *folder, const char *name, const char *word, uint64_t *number)
{
	FILE *file = open_at(root, folder, name);
	char line[256], *end = line;
	bool is_found = false;

	while (file && !is_found && fgets(line, sizeof line, file)) {
		if (strncmp(line, word, strlen(word)) != 0)
			continue;
		*number = strtoull(line + strlen(word), &end, 10);
		is_found = end > line + strlen(word);
	}
	if (file)
		fclose(file);
	return is_found;
}

/* ---- which group ----------------------------------------------------------------------------- */

static bool has_word(const char *list, const char *word)
{
	const size_t length = strlen(word);

	for (const char *at = list; (at = strstr(at, word)) != NULL; at += length)
		if ((at == list || at[-1] == ',') && (!at[length] || strchr(",\n", at[length])))
			return true;
	return false;
}

/* "4:memory:/path", or "0::/path". */
static bool find_group(const char *root, const struct names *names, char *path, size_t nbytes)
{
	FILE *file = open_at(root, "/proc/self", "cgroup");
	char line[PATH_MAX];
	bool is_found = false;

	while (file && !is_found && fgets(line, sizeof line, file)) {
		char *controllers = strchr(line, ':'), *at;

		at = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!at)
			continue;
		*at++ = '\0';
		at[strcspn(at, "\n")] = '\0';
		is_found = *names->controller ? has_word(controllers + 1, names->controller)
					      : !controllers[1];
		if (is_found)
			snprintf(path, nbytes, "%s", at);
	}
	if (file)
		fclose(file);
	return is_found;
}

/* The path as seen from a folder on it; where it does not lead through that, as it is. */
static const char *rest_of(const char *path, const char *folder)
{
	const size_t length = strcmp(folder, "/") ? strlen(folder) : 0;

	if (!strncmp(path, folder, length) && (!path[length] || path[length] == '/'))
		path += length;
	return strcmp(path, "/") ? path : "";
}

/*
 * A line: "36 35 98:0 /root /place options - type source options"; path counts from /root.
 * The folder of the group, and how long the path of the outermost one is that can be seen.
 */
static bool is_mount_of(const char *line, const struct names *names, const char *path, char *folder,
	size_t *outermost)
{
	char kind[32], options[512], from[PATH_MAX], place[PATH_MAX];
	const char *type = strstr(line, " - ");

	if (!type || sscanf(type, " - %31s %*s %511s", kind, options) != 2 ||
		sscanf(line, "%*s %*s %*s %4095s %4095s", from, place) != 2)
		return false;
	if (strcmp(kind, names->type) ||
		(*names->controller && !has_word(options, names->controller)))
		return false;
	*outermost = strlen(place);
	return snprintf(folder, PATH_MAX, "%s%s", place, rest_of(path, from)) < PATH_MAX;
}

static bool find_folder(
	const char *root, const struct names *names, char *folder, size_t *outermost)
{
	char path[PATH_MAX], line[3 * PATH_MAX];
	bool is_found = false;
	FILE *file;

	if (!find_group(root, names, path, sizeof path))
		return false;
	file = open_at(root, "/proc/self", "mountinfo");
	while (file && !is_found && fgets(line, sizeof line, file))
		is_found = is_mount_of(line, names, path, folder, outermost);
	if (file)
		fclose(file);
	return is_found;
}

/* ---- room ------------------------------------------------------------------------------------ */

static void take(struct nhost_room *room, uint64_t nbytes, const char *remedy, const char *limit)
{
	if (nbytes >= room->nbytes)
		return;
	room->nbytes = nbytes;
	snprintf(room->limit, sizeof room->limit, "%s", limit);
	snprintf(room->remedy, sizeof room->remedy, "%s", remedy);
}

static void look_at_group(
	const char *root, const char *folder, const struct names *names, struct nhost_room *room)
{
	char limit[sizeof room->limit];
	uint64_t most, used, inactive = 0, active = 0;

	if (!read_number(root, folder, names->most, "", &most) ||
		!read_number(root, folder, names->used, "", &used))
		return;
	read_number(root, folder, "memory.stat", names->inactive, &inactive);
	read_number(root, folder, "memory.stat", names->active, &active);
	used -= used < inactive + active ? used : inactive + active;
	snprintf(limit, sizeof limit, "the control group allows %llu bytes (%.150s/%s)",
		(unsigned long long)most, folder, names->most);
	take(room, most > used ? most - used : 0,
		"raise that (docker run --memory=SIZE; systemctl set-property UNIT MemoryMax=SIZE; "
		"or write SIZE into that file)",
		limit);
}

static void look_at_groups(const char *root, const struct names *names, struct nhost_room *room)
{
	char folder[PATH_MAX];
	size_t outermost;

	if (!find_folder(root, names, folder, &outermost))
		return;
	for (;;) {
		look_at_group(root, folder, names, room);
		if (strlen(folder) <= outermost)
			break;
		*strrchr(folder, '/') = '\0';
	}
}

static void look_at_machine(const char *root, struct nhost_room *room)
{
	uint64_t available, swap = 0;

	if (!read_number(root, "/proc", "meminfo", "MemAvailable:", &available))
		return;
	read_number(root, "/proc", "meminfo", "SwapFree:", &swap);
	take(room, (available + swap) * 1024, "end other programs, or add memory or swap",
		"the machine has no more (MemAvailable in /proc/meminfo)");
}

void nhost_room_find(const char *root, struct nhost_room *room)
{
	*room = (struct nhost_room){.nbytes = UINT64_MAX};
	look_at_machine(root, room);
	look_at_groups(root, &second, room);
	look_at_groups(root, &first, room);
}
