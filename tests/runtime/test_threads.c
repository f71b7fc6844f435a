/* Who takes lines while the drainer is busy with something else. */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>

#include "runtime/device_int.h"
#include "tests/runtime/fake.h"

static struct nproc *logger, *other;
static uint64_t logger_self, other_self;
static pthread_t first, second;
static sem_t exit_is_sent;
static bool second_is_back;

static void *wait_for_other(void *argument)
{
	(void)argument;
	nproc_wait(other, NULL, NPROC_FOREVER);
	return NULL;
}

static bool two_wait(void)
{
	struct port *port = &fake.device->port;
	bool result;

	lock_take(&port->lock);
	result = TAILQ_FIRST(&port->waiters) != TAILQ_LAST(&port->waiters, port_waiters);
	lock_release(&port->lock);
	return result;
}

/*
 * In the drainer: another thread comes to wait, too, then a message is there. The other's exit
 * comes in the callback.
 */
static bool on_wait(void)
{
	if (!pthread_equal(pthread_self(), first)) {
		sem_wait(&exit_is_sent);
		return true;
	}
	if (second_is_back) {
		fake_exit(0, logger_self, 0);
		return true;
	}
	if (pthread_create(&second, NULL, wait_for_other, NULL))
		return false;
	while (!two_wait())
		sched_yield();
	fake_send(0, NCHAN_LOG, 0, 0, &logger_self, sizeof logger_self);
	return true;
}

static void hear(void *context, const struct nproc *process, const char *text)
{
	struct timespec soon;
	(void)context;
	(void)process;
	(void)text;

	fake_exit(0, other_self, 0);
	sem_post(&exit_is_sent);
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_sec += 20;
	second_is_back = !pthread_timedjoin_np(second, NULL, &soon);
}

static void a_callback_that_takes_its_time_holds_nobody_up(void **state)
{
	const struct nproc_attr attr = {0, 0, NULL, 0, 0};
	(void)state;
	first = pthread_self();
	sem_init(&exit_is_sent, 0, 0);
	assert_int_equal(nproc_spawn(fake.device, fake.image, "nothing", &attr, &logger), 0);
	assert_int_equal(nproc_spawn(fake.device, fake.image, "nothing", &attr, &other), 0);
	logger_self = fake_take_spawn(0);
	other_self = fake_take_spawn(0);
	assert_int_equal(nproc_set_log(fake.device, hear, NULL), 0);
	fake.on_wait = on_wait;

	assert_int_equal(nproc_wait(logger, NULL, NPROC_FOREVER), 0);

	assert_true(second_is_back);
	sem_destroy(&exit_is_sent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_callback_that_takes_its_time_holds_nobody_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
