/* Random steps at both ends, compared with what they must give. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/host/nipc/ends.h"

enum {
	VIEWS = 12,
	STEPS = 30000
};

struct model {
	struct ends ends;
	uint64_t random, sent, received;
	size_t length[1 << 16]; /* of message i */
	struct nipc_view views[VIEWS];
	uint64_t seeds[VIEWS]; /* of the views; 0: none */
	size_t cut;            /* the length of a message that was sent in part; 0: none */
	bool receives;         /* a message was received in part, perhaps */
};

static size_t random_length(struct model *model)
{
	uint64_t random = next_random(&model->random);

	if (random % 3 == 0)
		return 1 + random / 3 % NIPC_SMALL;
	return 1 + random / 3 % (random % 3 == 1 ? 3000 : 30000);
}

/* A full region is no failure: the message goes on with the next step that sends. */
static void copy_one(struct model *model, size_t nbytes)
{
	static unsigned char bytes[30001];
	int64_t result;

	fill_bytes(bytes, nbytes, model->sent + 1);
	result = nipc_send(model->ends.a, bytes, nbytes);
	model->cut = result == -EAGAIN ? nbytes : 0;
	if (model->cut)
		return;
	expect_result(model->ends.a, result, (int64_t)nbytes);
	model->length[model->sent++ % (1 << 16)] = nbytes;
}

static void reserve_one(struct model *model, size_t nbytes)
{
	void *room;
	int64_t result = nipc_reserve(model->ends.a, nbytes, &room);

	if (result == -EAGAIN)
		return;
	expect_result(model->ends.a, result, 0);
	fill_bytes(room, nbytes, model->sent + 1);
	expect_result(model->ends.a, nipc_commit(model->ends.a, nbytes), 0);
	model->length[model->sent++ % (1 << 16)] = nbytes;
}

static void send_one(struct model *model)
{
	if (model->cut)
		copy_one(model, model->cut);
	else if (model->sent - model->received < 60000 && next_random(&model->random) % 2)
		reserve_one(model, random_length(model));
	else if (model->sent - model->received < 60000)
		copy_one(model, random_length(model));
}

/* False: it is not there. What is sent in part may be there in part. */
static bool is_there(const struct model *model, int64_t result)
{
	if (result == -EAGAIN || result == -ENOBUFS)
		assert_true(model->received == model->sent);
	else
		expect_result(
			model->ends.b, result, (int64_t)model->length[model->received % (1 << 16)]);
	return result > 0;
}

static void borrow_one(struct model *model, unsigned at)
{
	if (is_there(model, nipc_borrow(model->ends.b, &model->views[at])))
		model->seeds[at] = ++model->received;
}

static void receive_one(struct model *model)
{
	static unsigned char bytes[30001];

	model->receives = !is_there(model, nipc_recv(model->ends.b, bytes, sizeof bytes));
	if (!model->receives) {
		model->received++;
		expect_bytes(bytes, model->length[(model->received - 1) % (1 << 16)],
			model->received, 0);
	}
}

static void release_one(struct model *model, unsigned at)
{
	struct nipc_view *view = &model->views[at];

	expect_bytes(view->bytes, view->nbytes, model->seeds[at], 0);
	expect_result(model->ends.b, nipc_release(model->ends.b, view), 0);
	model->seeds[at] = 0;
}

static void step(struct model *model)
{
	const unsigned at = next_random(&model->random) % VIEWS;

	switch (next_random(&model->random) % 4) {
	case 0:
	case 1:
		send_one(model);
		break;
	case 2:
		receive_one(model);
		break;
	default:
		if (model->seeds[at])
			release_one(model, at);
		else if (model->receives)
			receive_one(model);
		else
			borrow_one(model, at);
	}
}

static void case_62_random_sends_borrows_and_releases_agree_with_a_model(void **state)
{
	struct model *model = calloc(1, sizeof *model);

	(void)state;
	model->random = new_seed();
	ends_open(&model->ends, NULL, NULL);
	nipc_set_timeout(model->ends.a, 0);
	nipc_set_timeout(model->ends.b, 0);
	for (unsigned i = 0; i < STEPS; i++)
		step(model);
	for (unsigned at = 0; at < VIEWS; at++)
		if (model->seeds[at])
			release_one(model, at);
	while (model->received < model->sent || model->cut) {
		receive_one(model);
		if (model->cut)
			copy_one(model, model->cut);
	}
	ends_close(&model->ends);
	free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(case_62_random_sends_borrows_and_releases_agree_with_a_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
