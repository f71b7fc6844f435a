/*
 * model_search.c - every order of events in the life of one pipe, tried on the code itself.
 *
 * A host and two cores. The host makes a pipe; then, in every possible order, programs write, read, close and give ends to
 * cores, and places take one line at a time from each other and send what they owe. Every state that this leads to is
 * visited once (a state is known by a hash of what matters in it).
 *
 * Claims, in every state: bytes of each writer are read once and in order; end of file and -EPIPE only when they
 * are true; the cells of every pool add up, and none that is promised is given away; no line makes no sense; the id is
 * forgotten once, when no end is open, no other place knows it and no line about it is under way. Where no
 * place can do anything more: nobody waits in vain, and if all ends are closed the id is forgotten.
 *
 *     model_search                              the bounds that the check covers
 *     model_search PASSES WRITES ROOM SCARCE    one bound: ends given, writes in all, free lines of each
 *                                               FIFO, whether windows are 1
 * A failure prints the steps that lead to it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/channels/model_scene.h"

enum {
	DEPTH_MAX = 500,
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
		"writes", "closes", "gives the reader to", "gives a writer to",
		"moves a writer to"};

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
	memcpy(&scene, &saved[depth], sizeof(scene));
	return step.action <= WRITE && after != before;
}

static void search(unsigned depth)
{
	uint64_t before = hash_scene();
	bool anything_goes_on = false;

	expect(depth < DEPTH_MAX - 1, "runs end");
	memcpy(&saved[depth], &scene, sizeof(scene));
	for (unsigned action = 0; action < ACTION_COUNT && !failure; action++)
		for (unsigned x = 0; x < HANDLES; x++)
			for (unsigned y = 0; y < PLACES; y++) {
				bool has_x = action > FLUSH || x < PLACES;
				bool has_y = y == 0 || action == RECEIVE || action >= GIVE_READER;
				struct step step = {
					(unsigned char)action, (unsigned char)x, (unsigned char)y};

				if (has_x && has_y)
					anything_goes_on |= try_step(step, depth, before);
			}
	if (failure || anything_goes_on)
		return;
	check_rest();
	if (failure)
		print_failure(depth);
}

static bool search_bound(struct bound wanted)
{
	bound = wanted;
	visited_count = 0;
	memset(visited, 0, STATES_MAX * sizeof(*visited));
	scene_start();
	visit(hash_scene());
	search(0);
	printf("%u ends given, %u writes, FIFOs of %u lines, windows of %s: %lu states%s\n",
		bound.passes, bound.writes, bound.room, bound.is_scarce ? "1" : "16 and more",
		visited_count, failure ? "" : ", all claims hold");
	fflush(stdout);
	return !failure;
}

int main(int argc, char **argv)
{
	static const struct bound bounds[] = {{2, 1, 2, true}, {2, 1, 8, false}, {1, 3, 1, true}};
	bool holds = true;

	saved = malloc(DEPTH_MAX * sizeof(*saved));
	visited = malloc(STATES_MAX * sizeof(*visited));
	if (!saved || !visited)
		return 2;
	if (argc == 5)
		return !search_bound((struct bound){(unsigned)atoi(argv[1]),
			(unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]), atoi(argv[4]) != 0});
	for (unsigned i = 0; i < sizeof(bounds) / sizeof(bounds[0]) && holds; i++)
		holds = search_bound(bounds[i]);
	return !holds;
}
