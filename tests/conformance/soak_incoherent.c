/*
 * soak_incoherent SECONDS: on modelled caches, where lines come and go by chance, new seeds until
 * time is up: random chains (chains.h), and pieces of one arena that go to and fro between the host
 * and a process for each, in random order.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <nearside/nmem.h>
#include <nearside/npipe.h>
#include <nearside/nproc.h>

#include "tests/conformance/chains.h"
#include "tests/conformance/served.h"

enum {
	PIECES = 8,
	WORDS_MAX = 40,
	TURNS = 400,
};

struct piece {
	uint64_t *words;
	uint64_t count;
	uint64_t turns; /* of the host, so far */
	struct npipe *ask[2], *answer[2];
	struct nproc *process;
};

/* The first call that failed, or what else is wrong. */
static const char *wrong;

static bool is_well(int64_t result, const char *what)
{
	if (result < 0 && !wrong)
		wrong = what;
	return !wrong;
}

#define WELL(call) is_well((call), #call)

static void start(struct nproc_device *device, struct nproc_image *image, struct nmem_arena *arena,
	struct piece *piece, unsigned core)
{
	struct nproc_attr attr = {.core = (int)core, .end_count = 2};
	void *memory = NULL;

	piece->count = 1 + (uint64_t)rand() % WORDS_MAX;
	if (!WELL(nmem_arena_alloc(arena, piece->count * sizeof(uint64_t), NMEM_ALIGN, &memory)) ||
		!WELL(npipe_create(device, piece->ask)) ||
		!WELL(npipe_create(device, piece->answer)))
		return;
	piece->words = memory;
	attr.ends = (struct npipe *[]){piece->ask[0], piece->answer[1]};
	WELL(nproc_spawn(device, image, "pass_to_and_fro", &attr, &piece->process, piece->words,
		piece->count));
}

/* One turn of the host's; the process answers with one of its own. */
static void take_turn(struct nproc_device *device, struct piece *piece)
{
	uint64_t nbytes = piece->count * sizeof(uint64_t);
	char byte = 0;

	WELL(nmem_refresh(device, piece->words, nbytes));
	for (uint64_t i = 0; i < piece->count; i++)
		if (piece->words[i]++ != 2 * piece->turns && !wrong)
			wrong = "a piece came back wrong";
	piece->turns++;
	WELL(nmem_publish(device, piece->words, nbytes));
	WELL(npipe_write(piece->ask[1], &byte, 1));
}

static void finish(struct piece *piece)
{
	struct nproc_status status = {.exit_code = -1};

	npipe_close(piece->ask[1]);
	if (WELL(nproc_wait(piece->process, &status, NPROC_FOREVER)) && status.exit_code)
		wrong = "a process was given a wrong piece";
}

static void pass_pieces(struct nproc_device *device, struct nproc_image *image)
{
	struct piece pieces[PIECES] = {{0}};
	struct nmem_arena *arena;
	char byte;

	if (!WELL(nmem_arena_create(device, PIECES * (WORDS_MAX + 8) * sizeof(uint64_t), &arena)))
		return;
	for (unsigned i = 0; i < PIECES && !wrong; i++)
		start(device, image, arena, &pieces[i], i % 2);
	for (unsigned i = 0; i < PIECES && !wrong; i++)
		take_turn(device, &pieces[i]);
	for (unsigned i = 0; i < TURNS && !wrong; i++) {
		struct piece *piece = &pieces[rand() % PIECES];

		if (WELL(npipe_read(piece->answer[0], &byte, 1)))
			take_turn(device, piece);
	}
	for (unsigned i = 0; i < PIECES && !wrong; i++)
		finish(&pieces[i]);
}

static void try(const char *name, unsigned seed)
{
	static char error[512];
	struct nproc_device *device;
	struct nproc_image *image;

	if (chains_run(name, TEST_KERNELS_PATH, seed, 3, error, sizeof error))
		wrong = error;
	if (wrong || !WELL(nproc_device_open(name, &device)))
		return;
	if (WELL(nproc_image_open(device, TEST_KERNELS_PATH, &image)))
		pass_pieces(device, image);
	nproc_device_close(device);
}

int main(int argc, char **argv)
{
	long seconds = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	unsigned seed = (unsigned)time(NULL);
	time_t end = time(NULL) + seconds;
	unsigned long runs = 0;

	if (seconds <= 0) {
		fprintf(stderr, "usage: soak_incoherent SECONDS\n");
		return 2;
	}
	for (; time(NULL) < end && !wrong; seed++, runs++) {
		char options[64];
		const char *name;

		srand(seed);
		snprintf(options, sizeof options, "cores=2,far=16M,pipes=%d,incoherent=%u",
			CHAINS_PIPES, seed);
		name = served_start(options);
		if (!name)
			return 1;
		try(name, seed);
		served_stop(name);
		if (wrong)
			printf("seed %u: %s\n", seed, wrong);
	}
	printf("%lu runs\n", runs);
	return wrong != NULL;
}
