/*
 * count_bulk: messages of 1 MB through a bulk pipe, and nothing else, for count_bulk.sh, which
 * counts instructions. Both ends are in one thread, so nobody waits.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nearside/nipc.h>

enum {
	MESSAGE = 1 << 20,
	COUNT = 8
};

static const struct nipc_attr attr = {
	.capacity = 4 * MESSAGE, .engine = "cpu", .how.near = NIPC_IN_CACHE};
static int sockets[2];
static struct nipc *sender, *receiver;
static unsigned char out[MESSAGE], in[MESSAGE];

static void must(int64_t result, int64_t expected)
{
	if (result == expected)
		return;
	fprintf(stderr, "count_bulk: %lld instead of %lld\n", (long long)result,
		(long long)expected);
	exit(1);
}

static void *make_receiver(void *unused)
{
	must(nipc_adopt(sockets[1], &attr, -1, &receiver), 0);
	return unused;
}

static void take_in_place(void)
{
	struct nipc_view view;

	must(nipc_borrow(receiver, &view), MESSAGE);
	must(nipc_release(receiver, &view), 0);
}

/* By these names their instructions are found. */
void count_two_copies(void);
void count_one_copy(void);
void count_no_copy(void);

__attribute__((noinline)) void count_two_copies(void)
{
	for (int i = 0; i < COUNT; i++) {
		must(nipc_send(sender, out, MESSAGE), MESSAGE);
		must(nipc_recv(receiver, in, MESSAGE), MESSAGE);
	}
}

__attribute__((noinline)) void count_one_copy(void)
{
	for (int i = 0; i < COUNT; i++) {
		must(nipc_send(sender, out, MESSAGE), MESSAGE);
		take_in_place();
	}
}

__attribute__((noinline)) void count_no_copy(void)
{
	void *bytes;

	for (int i = 0; i < COUNT; i++) {
		must(nipc_reserve(sender, MESSAGE, &bytes), 0);
		must(nipc_commit(sender, MESSAGE), 0);
		take_in_place();
	}
}

int main(void)
{
	pthread_t thread;

	must(nipc_pair(sockets), 0);
	must(pthread_create(&thread, NULL, make_receiver, NULL), 0);
	must(nipc_adopt(sockets[0], &attr, -1, &sender), 0);
	pthread_join(thread, NULL);
	count_two_copies();
	count_one_copy();
	count_no_copy();
	nipc_close(sender);
	nipc_close(receiver);
	return 0;
}
