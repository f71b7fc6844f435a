/*
 * model_search.c - every order of events in the life of one pipe, tried on the code itself.
 *
 * A host and two cores. The host makes a pipe; then, in every possible order, programs write, read,
 * close and give ends to cores, these hand them back, and places take one line at a time
 * from each other and send what they owe. Every state that this leads to is visited once (a state
 * is known by a hash of what matters in it).
 *
 * Claims, in every state: bytes of each writer are read once and in order; end of file and -EPIPE
 * only when they are true; the cells of every pool add up, and none that is promised is given away;
 * no line makes no sense; the id is forgotten once, when no end is open, no other place knows it
 * and no line about it is under way. Where no place can do anything more: nobody waits in vain, and
 * if all ends are closed the id is forgotten.
 *
 *     model_search                     the bounds that the check covers
 *     model_search ENDS WRITES ROOM    one bound: ends given, writes in all, free lines of each
 *                                      FIFO; then, if wanted:
 *              [scarce] [cores]        windows of 1 line; the host only closes
 *              [packets] [capacity=N]  the pipe's mode
 *              [readers=N]             reading ends, which cores may be given
 *              [made]                  by a core, with one reading end
 * A failure prints the steps that lead to it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/channels/model_scene.h"

enum {
	DEPTH_MAX = 200,
	STATES_MAX = 1 << 23,
};

static struct step path[DEPTH_MAX];
static struct scene *saved; /* [DEPTH_MAX] */
static uint64_t *visited;
static unsigned long visited_count;

static bool visit(uint64_t hash)
{
	uint64_t i = hash % STATES_MAX;

	for (; visited[i]; i = (i + 1) % STATES_MAX)
		if (visited[i] == hash)
			return false;
	visited[i] = hash;
	visited_count++;
	expect(visited_count < STATES_MAX / 2, "the table has room for all states");
	return true;
}

static void print_failure(unsigned depth)
{
	static const char *const names[ACTION_COUNT] = {"takes a line from", "flushes", "reads",
		"writes", "closes", "is given, to read, to", "gives a writer to",
		"goes back to the host,", "wants an id,"};

	printf("FAILED: %s\n", failure);
	for (unsigned i = 0; i < depth; i++)
		printf("  %s %u %s %u\n", path[i].action <= FLUSH ? "place" : "end", path[i].x,
			names[path[i].action], path[i].y);
}

static void search(unsigned depth);

/* Returns whether a place, or a program that reads or writes, changed something. */
static bool try_step(struct step step, unsigned depth, uint64_t before)
{
	uint64_t after;

	if (failure || !scene_perform(step))
		return false;
	path[depth] = step;
	check_state();
	after = hash_scene();
	if (!failure && visit(after))
		search(depth + 1);
	else if (failure)
		print_failure(depth + 1);
	scene_restore(&saved[depth]);
	return step.action <= WRITE && after != before;
}

/* The step after this one in the order in which they are tried; false: that was the last. */
static bool next_step(struct step *step)
{
	bool has_y = step->action == RECEIVE || step->action == GIVE_READER ||
		     step->action == GIVE_WRITER;

	step->y = has_y ? (unsigned char)(step->y + 1) : PLACES;
	if (step->y < PLACES)
		return true;
	step->y = 0;
	step->x++;
	if (step->x < (step->action <= FLUSH ? (unsigned)PLACES : (unsigned)HANDLES))
		return true;
	step->x = 0;
	step->action++;
	return step->action < ACTION_COUNT;
}

static void search(unsigned depth)
{
	struct step step = {0, 0, 0};
	uint64_t before = hash_scene();
	bool anything_goes_on = false;

	expect(depth < DEPTH_MAX - 1, "runs end");
	memcpy(&saved[depth], &scene, sizeof(scene));
	do
		anything_goes_on |= try_step(step, depth, before);
	while (!failure && next_step(&step));
	if (failure || anything_goes_on)
		return;
	check_rest();
	if (failure)
		print_failure(depth);
}

static bool search_bound(const struct bound *wanted)
{
	bound = *wanted;
	visited_count = 0;
	memset(visited, 0, STATES_MAX * sizeof(*visited));
	scene_start();
	visit(hash_scene());
	search(0);
	printf("%s%u reading ends, %u ends given, %u writes%s, FIFOs of %u lines, windows of ",
		bound.is_made_at_core ? "made at a core, " : "", bound.readers, bound.ends,
		bound.writes, bound.only_cores_write ? " by cores" : "", bound.room);
	if (bound.mode & NCHAN_CAPACITY_MAX)
		printf("%u", bound.mode & NCHAN_CAPACITY_MAX);
	else
		printf("%s", bound.is_scarce ? "1" : "16 and more");
	printf("%s: %lu states, %s\n", bound.mode & NCHAN_PACKETS ? ", packets" : "", visited_count,
		failure ? failure : "all claims hold");
	fflush(stdout);
	return !failure;
}

static unsigned number(const char *text)
{
	return (unsigned)strtoul(text, NULL, 10);
}

static bool search_asked(int argc, char **argv)
{
	struct bound asked = {
		number(argv[1]), number(argv[2]), number(argv[3]), 1, false, false, 0, false};

	for (int i = 4; i < argc; i++) {
		asked.is_scarce |= !strcmp(argv[i], "scarce");
		asked.only_cores_write |= !strcmp(argv[i], "cores");
		asked.is_made_at_core |= !strcmp(argv[i], "made");
		if (!strcmp(argv[i], "packets"))
			asked.mode |= NCHAN_PACKETS;
		else if (!strncmp(argv[i], "capacity=", 9))
			asked.mode |= number(argv[i] + 9) & NCHAN_CAPACITY_MAX;
		else if (!strncmp(argv[i], "readers=", 8))
			asked.readers = number(argv[i] + 8);
	}
	return search_bound(&asked);
}

int main(int argc, char **argv)
{
	static const struct bound bounds[] = {
		{2, 1, 2, 1, true, false, 0, false},
		{3, 0, 1, 1, true, false, 0, false},
		{3, 1, 8, 1, false, true, 0, false},
		{1, 3, 2, 1, false, false, NCHAN_PACKETS | 2, false},
		{2, 2, 2, 1, false, false, NCHAN_PACKETS | 1, false},
		{2, 1, 2, 2, false, false, 0, false},
		{2, 2, 8, 2, false, true, 0, false},
		{5, 1, 1, 1, false, false, 0, true},
	};
	bool holds = true;

	saved = malloc(DEPTH_MAX * sizeof(*saved));
	visited = malloc(STATES_MAX * sizeof(*visited));
	if (!saved || !visited)
		return 2;
	if (argc >= 4)
		return !search_asked(argc, argv);
	for (unsigned i = 0; i < sizeof(bounds) / sizeof(bounds[0]) && holds; i++)
		holds = search_bound(&bounds[i]);
	return !holds;
}
