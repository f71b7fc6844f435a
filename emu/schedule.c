#include "emu/schedule.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "emu/fiber.h"

enum {
	HOST = 0,
	SLOW_TAKES_ONE_IN = 16,
	LATE_ONE_IN = 64,
	SPURIOUS_ONE_IN = 128,
};

struct place {
	struct nemu_fiber *fiber; /* NULL: the host */
	bool asleep;
	int64_t late_until; /* may not run before */
};

struct nemu_schedule {
	pthread_t owner;
	uint64_t random;
	uint64_t trace;
	int64_t now;
	uint64_t turn;        /* number, and place in the low byte; read by other threads */
	unsigned running;     /* place */
	unsigned switch_mask; /* a pause switches when these random bits are 0 */
	unsigned count;       /* of places, with the host */
	unsigned capacity;
	unsigned slow;                     /* place; HOST: none */
	unsigned host_factor, core_factor; /* how much slower they are */
	bool faults;
	bool interrupted;
	struct place place[];
};

/* splitmix64: every seed, 0 too, gives a good sequence. */
static uint64_t draw(struct nemu_schedule *s)
{
	uint64_t x = s->random += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static unsigned draw_below(struct nemu_schedule *s, unsigned limit)
{
	return (unsigned)(draw(s) % limit);
}

/* FNV-1a over words. */
static void note(struct nemu_schedule *s, uint64_t what)
{
	s->trace = (s->trace ^ what) * 0x100000001b3;
}

int nemu_schedule_create(
	uint64_t seed, bool faults, unsigned core_count, struct nemu_schedule **schedule)
{
	static const unsigned masks[] = {0, 1, 3, 7, 31, 255};
	struct nemu_schedule *s =
		calloc(1, sizeof *s + (1 + (size_t)core_count) * sizeof s->place[0]);

	*schedule = s;
	if (!s)
		return -ENOMEM;
	s->owner = pthread_self();
	s->random = seed;
	s->trace = 0xcbf29ce484222325;
	s->capacity = 1 + core_count;
	s->count = 1;
	s->faults = faults;
	s->host_factor = s->core_factor = 1;
	s->switch_mask = masks[draw_below(s, sizeof masks / sizeof masks[0])];
	if (faults)
		s->slow = draw_below(s, s->capacity);
	return 0;
}

void nemu_schedule_slow_down(struct nemu_schedule *s, unsigned host, unsigned cores)
{
	s->host_factor = host;
	s->core_factor = cores;
}

void nemu_schedule_destroy(struct nemu_schedule *s)
{
	if (!s)
		return;
	for (unsigned i = 1; i < s->count; i++)
		nemu_fiber_destroy(s->place[i].fiber);
	free(s);
}

int nemu_schedule_add(struct nemu_schedule *s, void (*body)(void *context), void *context)
{
	int result;

	if (s->count == s->capacity)
		return -EINVAL;
	result = nemu_fiber_create(body, context, &s->place[s->count].fiber);
	if (!result)
		s->count++;
	return result;
}

bool nemu_schedule_is_mine(const struct nemu_schedule *s)
{
	return pthread_equal(pthread_self(), s->owner);
}

static bool can_run(const struct nemu_schedule *s, unsigned i)
{
	const struct place *place = &s->place[i];

	return !place->asleep && place->late_until <= s->now && !nemu_fiber_ended(place->fiber);
}

/* A core that can run, each with the same chance; HOST: there is none. */
static unsigned pick_core(struct nemu_schedule *s)
{
	unsigned able = 0, chosen;

	for (unsigned i = 1; i < s->count; i++)
		able += can_run(s, i);
	if (!able)
		return HOST;
	chosen = draw_below(s, able);
	for (unsigned i = 1;; i++)
		if (can_run(s, i) && !chosen--)
			return i;
}

static void wake_without_reason(struct nemu_schedule *s)
{
	if (!draw_below(s, SPURIOUS_ONE_IN))
		s->place[draw_below(s, s->count)].asleep = false;
}

/* The core that was picked does not run after all. */
static bool misses_turn(struct nemu_schedule *s, unsigned core)
{
	if (core == s->slow && draw_below(s, SLOW_TAKES_ONE_IN))
		return true;
	if (draw_below(s, LATE_ONE_IN))
		return false;
	s->place[core].late_until = s->now + 1 + draw_below(s, NEMU_LATE_NS_MAX);
	return true;
}

static void begin_turn(struct nemu_schedule *s, unsigned place)
{
	s->running = place;
	__atomic_store_n(&s->turn, ((s->turn >> 8) + 1) << 8 | place, __ATOMIC_RELAXED);
}

/* One core runs until it pauses, sleeps or ends. False: none can. */
static bool run_turn(struct nemu_schedule *s)
{
	unsigned core = pick_core(s);

	if (core == HOST)
		return false;
	s->now += NEMU_TURN_NS * (int64_t)s->core_factor;
	if (s->faults) {
		wake_without_reason(s);
		if (misses_turn(s, core))
			return true;
	}
	note(s, core);
	begin_turn(s, core);
	nemu_fiber_enter(s->place[core].fiber);
	begin_turn(s, HOST);
	return true;
}

/* What the cores do in one turn of a host that is slower: as much as they can in that time. */
static void run_slow_turn(struct nemu_schedule *s)
{
	for (unsigned i = 1; i < s->host_factor && run_turn(s); i++)
		;
}

void nemu_schedule_host_yield(struct nemu_schedule *s)
{
	if (!nemu_schedule_is_mine(s))
		return;
	s->now += NEMU_TURN_NS * (int64_t)s->host_factor;
	run_slow_turn(s);
	do
		if (s->core_factor == 1 || !draw_below(s, s->core_factor))
			run_turn(s);
	while (draw(s) & 3);
	note(s, HOST);
}

void nemu_schedule_pause(void *schedule)
{
	struct nemu_schedule *s = schedule;

	if (!nemu_schedule_is_mine(s) || draw(s) & s->switch_mask)
		return;
	if (s->running == HOST)
		nemu_schedule_host_yield(s);
	else
		nemu_fiber_leave(s->place[s->running].fiber);
}

void nemu_schedule_sleep(struct nemu_schedule *s)
{
	struct place *self = &s->place[s->running];

	self->asleep = true;
	while (self->asleep)
		nemu_fiber_leave(self->fiber);
}

/* The next moment at which somebody can do something; negative: there is none. */
static int64_t next_moment(const struct nemu_schedule *s, int64_t deadline_ns)
{
	int64_t next = deadline_ns;

	for (unsigned i = 1; i < s->count; i++) {
		int64_t until = s->place[i].late_until;

		if (until > s->now && (next < 0 || until < next) && !s->place[i].asleep)
			next = until;
	}
	return next;
}

bool nemu_schedule_is_idle(const struct nemu_schedule *s)
{
	for (unsigned i = 1; i < s->count; i++)
		if (can_run(s, i))
			return false;
	return next_moment(s, -1) < 0;
}

static bool take_interruption(struct nemu_schedule *s)
{
	return __atomic_load_n(&s->interrupted, __ATOMIC_RELAXED) &&
	       __atomic_exchange_n(&s->interrupted, false, __ATOMIC_ACQUIRE);
}

int nemu_schedule_host_sleep(struct nemu_schedule *s, int64_t deadline_ns)
{
	if (!nemu_schedule_is_mine(s))
		return -EPERM;
	s->place[HOST].asleep = true;
	while (s->place[HOST].asleep && !take_interruption(s)) {
		if (deadline_ns >= 0 && s->now >= deadline_ns)
			return -ETIMEDOUT;
		if (run_turn(s))
			continue;
		if (next_moment(s, deadline_ns) < 0)
			return -EDEADLK;
		s->now = next_moment(s, deadline_ns);
	}
	run_slow_turn(s);
	note(s, HOST);
	return 0;
}

void nemu_schedule_wake(struct nemu_schedule *s, unsigned place)
{
	if (nemu_schedule_is_mine(s))
		s->place[place].asleep = false;
}

void nemu_schedule_interrupt(struct nemu_schedule *s)
{
	__atomic_store_n(&s->interrupted, true, __ATOMIC_RELEASE);
}

uint64_t nemu_schedule_turn(const struct nemu_schedule *s)
{
	return __atomic_load_n(&s->turn, __ATOMIC_RELAXED);
}

int64_t nemu_schedule_now(const struct nemu_schedule *s)
{
	return s->now;
}

uint64_t nemu_schedule_trace(const struct nemu_schedule *s)
{
	return s->trace;
}
