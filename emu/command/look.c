#include "emu/command/look.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "channels/wake.h"
#include "host/wait.h"

enum {
	/* For one answer, of this machine or of another, which may be an emulated one. */
	PATIENCE_NEAR_NS = 400 * 1000 * 1000,
	PATIENCE_NS = 1000 * 1000 * 1000,
	NAP_NS_MIN = 20 * 1000,
	NAP_NS_MAX = 2 * 1000 * 1000,
};

/* ---- one question ---------------------------------------------------------------------------- */

/* As much as a core's struct nreg_look has, but for what was wanted. */
struct answer {
	uint64_t next, count;
	struct nreg_process process[NREG_LOOK_PROCESSES];
};

static struct nreg_core *core_of(const struct view *view, unsigned core)
{
	return nreg_core(view->writable, core);
}

static int64_t soon(const struct view *view)
{
	bool is_near = view->identity.capabilities & NREG_CAN_WAKE;

	return nhost_clock_ns() + (is_near ? PATIENCE_NEAR_NS : PATIENCE_NS);
}

/* A core that sleeps is woken as by any sender of a line. */
static void wake(const struct view *view, struct nreg_core *core)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (view->identity.capabilities & NREG_CAN_WAKE && nchan_wake_needed(&core->wake.asleep))
		nhost_wake_shared(&core->wake.asleep);
}

static uint64_t ask(const struct view *view, unsigned index, uint32_t first_id)
{
	struct nreg_core *core = core_of(view, index);
	uint64_t random = (uint64_t)nhost_clock_ns(), word;

	if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random)
		random ^= (uint64_t)(uintptr_t)&random;
	word = nreg_look_word(random, first_id);
	nchan_tell(view->caches, &core->look.wanted, word);
	wake(view, core);
	return word;
}

/* Whole if the core wrote nothing meanwhile. */
static bool copy(
	const struct view *view, const struct nreg_look *look, uint64_t word, struct answer *answer)
{
	uint64_t words[sizeof answer->process / (sizeof word)];
	const uint64_t *from = (const uint64_t *)(const void *)look->process;

	if (nchan_hear(view->caches, &look->done) != word)
		return false;
	nchan_refresh(view->caches, look->process, sizeof look->process);
	answer->next = nchan_load(&look->next);
	answer->count = nchan_load(&look->count);
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		words[i] = nchan_load(from + i);
	memcpy(answer->process, words, sizeof answer->process);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return nchan_hear(view->caches, &look->done) == word;
}

/* Somebody else may ask the same core: then this one asks again, at another moment. */
static bool get_answer(const struct view *view, unsigned index, uint32_t first_id, uint64_t word,
	int64_t deadline_ns, struct answer *answer)
{
	const struct nreg_look *look = &core_of(view, index)->look;
	int64_t nap_ns = NAP_NS_MIN;

	while (!copy(view, look, word, answer)) {
		const struct timespec nap = {.tv_nsec = nap_ns + (long)(word >> 40 & 0xfff)};

		if (nhost_clock_ns() >= deadline_ns)
			return false;
		nanosleep(&nap, NULL);
		if (nap_ns < NAP_NS_MAX)
			nap_ns *= 2;
		else if (nchan_hear(view->caches, &look->wanted) != word)
			word = ask(view, index, first_id);
	}
	return true;
}

/* ---- what is believed ------------------------------------------------------------------------ */

static void tidy(char *text, size_t room)
{
	text[room - 1] = '\0';
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

static bool is_possible(const struct view *view, const struct answer *answer, uint32_t first_id)
{
	uint64_t ids_max = view->identity.processes_max * UINT64_C(2);

	if (answer->count > NREG_LOOK_PROCESSES || answer->next > ids_max)
		return false;
	/* Each answer brings the end nearer. */
	if (answer->next && answer->count < NREG_LOOK_PROCESSES &&
		answer->next < first_id + (uint64_t)NREG_LOOK_IDS)
		return false;
	for (uint64_t i = 0; i < answer->count; i++) {
		uint32_t id = nreg_self_process(answer->process[i].self);

		if (id < first_id || (answer->next && id >= answer->next) ||
			answer->process[i].doing >= NREG_DOING_COUNT)
			return false;
		first_id = id + 1;
	}
	return true;
}

static int add(struct look *look, unsigned core, struct nreg_process *process)
{
	size_t capacity = look->capacity ? look->capacity * 2 : 64;
	struct look_process *grown;

	tidy(process->kernel, sizeof process->kernel);
	tidy(process->file, sizeof process->file);
	if (look->count == look->capacity) {
		grown = realloc(look->processes, capacity * sizeof *grown);
		if (!grown)
			return -ENOMEM;
		look->processes = grown;
		look->capacity = capacity;
	}
	look->processes[look->count++] = (struct look_process){core, *process};
	return 0;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* `word` is the first question, which has been asked. */
static int look_at_core(
	struct view *view, unsigned core, uint64_t word, int64_t deadline_ns, struct look *look)
{
	struct answer answer = {.next = 1};
	int result = 0;

	do {
		uint32_t first_id = (uint32_t)answer.next;

		if (!get_answer(view, core, first_id, word, deadline_ns, &answer) ||
			!is_possible(view, &answer, first_id)) {
			look->silent |= UINT64_C(1) << core;
			return 0;
		}
		for (uint64_t i = 0; i < answer.count && !result; i++)
			result = add(look, core, &answer.process[i]);
		if (answer.next && !result)
			word = ask(view, core, (uint32_t)answer.next);
		deadline_ns = soon(view);
	} while (answer.next && !result);
	return result;
}

/* Every core is asked before any answer is awaited. */
int look_at_processes(struct view *view, struct look *look)
{
	unsigned count = view->identity.core_count;
	uint64_t word[NREG_CORES_MAX];
	int64_t deadline_ns;
	int result = 0;

	*look = (struct look){.processes = NULL};
	if (!view_is_in_use(view))
		return 0;
	if (!view->writable) {
		look->silent = ~UINT64_C(0) >> (NREG_CORES_MAX - count);
		return 0;
	}
	for (unsigned core = 0; core < count; core++)
		word[core] = ask(view, core, 1);
	deadline_ns = soon(view);
	for (unsigned core = 0; core < count && !result; core++)
		result = look_at_core(view, core, word[core], deadline_ns, look);
	return result;
}

void look_free(struct look *look)
{
	free(look->processes);
	look->processes = NULL;
}
