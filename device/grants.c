#include "device/core_int.h"

const struct grant_set *grants_find(const struct ndev_core *core, unsigned set)
{
	if (!set || set > core->grant_sets_max || !core->grants[set].count)
		return NULL;
	return &core->grants[set];
}

/* The host may grant any far memory, and nothing else. */
static bool is_far(const struct nreg_identity *identity, const struct nmsg_grant *grant)
{
	uint64_t offset = grant->base - (identity->base + identity->far_offset);

	if (!grant->len)
		return !grant->base && !grant->writable;
	return offset < identity->far_bytes && grant->len <= identity->far_bytes - offset &&
	       (!grant->writable || grant->writable == grant->len);
}

bool receive_grant(struct ndev_core *core, const struct nchan_line *line)
{
	struct nmsg_grant grant;
	struct grant_set *set;

	nchan_copy(&grant, line->word, sizeof(grant));
	if (!grant.set || grant.set > core->grant_sets_max || grant.count > NK_PARAMS_MAX ||
		grant.index >= grant.count || !is_far(&core->device->identity, &grant))
		return false;
	set = &core->grants[grant.set];
	set->count = grant.count;
	set->segment[grant.index] = (struct nk_segment){
		.base = grant.base,
		.len = grant.len,
		.writable = grant.writable,
		.delta = grant.len ? core->device->delta : 0,
	};
	return true;
}

bool receive_revoke(struct ndev_core *core, const struct nchan_line *line)
{
	struct nmsg_revoke revoke;

	nchan_copy(&revoke, line->word, sizeof(revoke));
	if (!grants_find(core, revoke.set))
		return false;
	core->grants[revoke.set] = (struct grant_set){0};
	return true;
}

void *grants_search(const struct process *process, uint64_t va, uint64_t nbytes, bool writes)
{
	for (unsigned i = 0; i < process->segment_count; i++) {
		const struct nk_segment *segment = &process->segments[i];
		uint64_t len = writes ? segment->writable : segment->len;

		if (nbytes <= len && va - segment->base <= len - nbytes)
			return (void *)(uintptr_t)(va + segment->delta);
	}
	return NULL;
}
