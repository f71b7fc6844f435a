#include "emu/core_loop.h"

#include "channels/wake.h"

static void sleep_unless_needed(struct ndev_core *core, const struct nemu_idle *idle)
{
	uint64_t *word = ndev_core_wake_word(core);

	if (!ndev_core_may_sleep(core))
		return;
	nchan_wake_announce(word);
	idle->fence(idle->context);
	if (ndev_core_may_sleep(core) && !idle->is_over(idle->context))
		idle->sleep(idle->context, word);
	nchan_wake_withdraw(word);
}

void nemu_core_loop(struct ndev_core *core, const struct nemu_idle *idle)
{
	while (!idle->is_over(idle->context)) {
		bool was_busy = ndev_core_step(core);

		if (!idle->look_again(idle->context, was_busy))
			sleep_unless_needed(core, idle);
	}
}
