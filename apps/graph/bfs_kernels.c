/*
 * bfs_kernels.c - breadth-first search by processes that lie beside the graph: one bfs_worker a
 * core, and one bfs_levels that leads them from level to level.
 *
 * The queue holds every reached vertex once, level after level. In a level the workers take shares
 * of it, look at the neighbours, claim those that nobody has claimed, and append them. A vertex is
 * claimed by changing its mark from 0 to depth + 1, atomically, so it has one owner, who alone
 * writes its parent. Entries of the queue are handed out by two counters, so nobody else writes
 * where a worker writes.
 *
 * Order between levels comes from the pipes alone, therefore the atomics are relaxed: "done" comes
 * up the tree only after all writes of a level, and "go" goes down after all "done" came. Where
 * memory is not coherent, that holds between the processes, and bfs_levels takes over from the host
 * and hands back to it.
 */
#include <errno.h>
#include <stdatomic.h>

#include <nearside/kernel.h>

#include "apps/graph/bfs_shared.h"

enum {
	SHARE = 16, /* queue entries taken at a time: one line */
	FOUND = 16, /* vertices kept before they are appended: likewise */
};

struct arrays {
	const far uint64_t *offsets;
	const far uint32_t *neighbours;
	far _Atomic uint32_t *mark;
	far uint32_t *parent;
	far uint32_t *queue;
	far struct bfs_control *control;
};

struct found {
	uint32_t count;
	uint32_t vertex[FOUND];
};

static bool claim(const struct arrays *a, uint32_t v, uint32_t mark)
{
	uint32_t none = 0;

	if (atomic_load_explicit(&a->mark[v], memory_order_relaxed) != 0)
		return false;
	return atomic_compare_exchange_strong_explicit(
		&a->mark[v], &none, mark, memory_order_relaxed, memory_order_relaxed);
}

static void append(const struct arrays *a, struct found *found)
{
	uint64_t at =
		atomic_fetch_add_explicit(&a->control->filled, found->count, memory_order_relaxed);

	for (uint32_t i = 0; i < found->count; i++)
		a->queue[at + i] = found->vertex[i];
	found->count = 0;
}

static void expand(const struct arrays *a, uint32_t u, uint32_t depth, struct found *found)
{
	uint64_t end = a->offsets[u + 1ull];

	for (uint64_t k = a->offsets[u]; k < end; k++) {
		uint32_t v = a->neighbours[k];

		if (!claim(a, v, depth + 2))
			continue;
		a->parent[v] = u;
		found->vertex[found->count++] = v;
		if (found->count == FOUND)
			append(a, found);
	}
}

static void search_level(const struct arrays *a, const struct bfs_level *level)
{
	uint64_t first;

	while ((first = atomic_fetch_add_explicit(
			&a->control->taken, SHARE, memory_order_relaxed)) < level->end) {
		uint64_t last = level->end - first < SHARE ? level->end : first + SHARE;
		struct found found = {.count = 0};

		for (uint64_t i = first; i < last; i++)
			expand(a, a->queue[i], (uint32_t)level->depth, &found);
		append(a, &found);
		nproc_yield(); /* a level may be long, and others may live on this core */
	}
}

/* False: a process of the tree is gone, and with it the search. */
static bool start_level(int go, const struct bfs_level *level)
{
	return npipe_write(go, level, sizeof *level) == sizeof *level;
}

static bool await_level(int done, const struct bfs_level *level)
{
	uint64_t depth;

	if (npipe_read_full(done, &depth, sizeof depth) != sizeof depth)
		return false;
	nproc_assert(depth == level->depth);
	return true;
}

/* Then the others are not called: they would find nothing to take. Deep graphs have many such. */
static bool is_one_share(const struct bfs_level *level)
{
	return level->end - level->begin <= SHARE;
}

NPROC_KERNEL int64_t bfs_worker(const far uint64_t *offsets, const far uint32_t *neighbours,
	far _Atomic uint32_t *mark, far uint32_t *parent, far uint32_t *queue,
	far struct bfs_control *control, uint32_t child_count)
{
	struct arrays arrays = {offsets, neighbours, mark, parent, queue, control};
	struct bfs_level level;

	while (npipe_read_full(WORKER_GO, &level, sizeof level) == sizeof level) {
		uint32_t called = is_one_share(&level) ? 0 : child_count;

		for (uint32_t child = 0; child < called; child++)
			if (!start_level(worker_child_go(child), &level))
				return -EPIPE;
		search_level(&arrays, &level);
		for (uint32_t child = 0; child < called; child++)
			if (!await_level(worker_child_done(child), &level))
				return -EPIPE;
		if (npipe_write(WORKER_DONE, &level.depth, sizeof level.depth) < 0)
			return -EPIPE;
	}
	return 0; /* bfs_levels has closed its end: the search is over */
}

/* From the host, for all processes of the device. */
static void take_over(const struct arrays *a, uint64_t vertices, uint64_t edges)
{
	nmem_refresh(a->offsets, (vertices + 1) * sizeof *a->offsets);
	nmem_refresh(a->neighbours, edges * sizeof *a->neighbours);
	nmem_refresh(a->mark, vertices * sizeof *a->mark);
	nmem_refresh(a->parent, vertices * sizeof *a->parent);
	nmem_refresh(a->queue, vertices * sizeof *a->queue);
	nmem_refresh(a->control, sizeof *a->control);
}

/* What any of them has written. */
static void hand_back(const struct arrays *a, uint64_t vertices)
{
	nmem_publish(a->mark, vertices * sizeof *a->mark);
	nmem_publish(a->parent, vertices * sizeof *a->parent);
	nmem_publish(a->queue, vertices * sizeof *a->queue);
	nmem_publish(a->control, sizeof *a->control);
}

NPROC_KERNEL int64_t bfs_levels(const far uint64_t *offsets, const far uint32_t *neighbours,
	far _Atomic uint32_t *mark, far uint32_t *parent, far uint32_t *queue,
	far struct bfs_control *control, uint64_t vertices, uint64_t edges, uint32_t source)
{
	struct arrays arrays = {offsets, neighbours, mark, parent, queue, control};
	struct bfs_level level = {.begin = 0, .end = 1, .depth = 0};
	struct bfs_report report = {0};

	take_over(&arrays, vertices, edges);
	atomic_store_explicit(&mark[source], 1, memory_order_relaxed);
	parent[source] = source;
	queue[0] = source;
	atomic_store_explicit(&control->filled, 1, memory_order_relaxed);
	while (level.begin < level.end) {
		if (level.end - level.begin > report.widest_count) {
			report.widest_count = level.end - level.begin;
			report.widest_level = (uint32_t)level.depth;
		}
		report.max_depth = (uint32_t)level.depth;
		atomic_store_explicit(&control->taken, level.begin, memory_order_relaxed);
		if (!start_level(LEVELS_GO, &level) || !await_level(LEVELS_DONE, &level))
			return -EPIPE;
		level.begin = level.end;
		level.end = atomic_load_explicit(&control->filled, memory_order_relaxed);
		level.depth++;
	}
	report.reached = level.end;
	hand_back(&arrays, vertices);
	return npipe_write(LEVELS_ANSWER, &report, sizeof report) < 0 ? -EPIPE : 0;
}
