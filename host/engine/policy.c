#include "host/engine/policy.h"

#include <string.h>

enum {
	CPU_BASE_NS = 30,
	DSA_BASE_NS = 1150,
	DSA_NS_PER_1024_KIB = 29184,
	SUBMIT_NS = 160,
	FACTOR_MIN = POLICY_ONE / 16,
	FACTOR_MAX = POLICY_ONE * 4096,
	LEARN = 8,               /* a new sight counts one in so many */
	BACKLOG_NS = 100 * 1000, /* more than this waits in the queue: the processor helps */
	PART_MIN = 64 * 1024,
	PAGE = 4096,
};

static unsigned class_of(size_t nbytes)
{
	unsigned class = nbytes ? 63 - (unsigned)__builtin_clzll(nbytes) : 0;

	return class < POLICY_CLASSES ? class : POLICY_CLASSES - 1;
}

/* First guesses. */
static int64_t cpu_guess(const struct policy *policy, size_t nbytes)
{
	return CPU_BASE_NS + (int64_t)((double)nbytes * policy->cpu_ns_per_byte);
}

static int64_t dsa_guess(size_t nbytes)
{
	return DSA_BASE_NS + (int64_t)(nbytes * DSA_NS_PER_1024_KIB / (1024 * 1024));
}

void policy_start(struct policy *policy, double cpu_gb_s)
{
	memset(policy, 0, sizeof *policy);
	policy->cpu_ns_per_byte = cpu_gb_s > 0 ? 1 / cpu_gb_s : 0.1;
	policy->submit_ns = SUBMIT_NS;
	policy->waits = POLICY_ONE;
	for (unsigned kind = 0; kind < NHOST_OP_COUNT; kind++)
		for (unsigned class = 0; class < POLICY_CLASSES; class ++) {
			policy->factors[kind][class].cpu = POLICY_ONE;
			policy->factors[kind][class].dsa = POLICY_ONE;
		}
}

int64_t policy_cpu_ns(const struct policy *policy, enum nhost_op_kind kind, size_t nbytes)
{
	return cpu_guess(policy, nbytes) * policy->factors[kind][class_of(nbytes)].cpu / POLICY_ONE;
}

int64_t policy_dsa_ns(const struct policy *policy, enum nhost_op_kind kind, size_t nbytes)
{
	return dsa_guess(nbytes) * policy->factors[kind][class_of(nbytes)].dsa / POLICY_ONE;
}

bool policy_caller_waits(const struct policy *policy)
{
	return policy->waits > POLICY_ONE / 2;
}

/*
 * To a caller that does other work DSA costs what it takes to submit, as long as what waits there
 * does not grow.
 */
static int64_t dsa_price(
	const struct policy *policy, enum nhost_op_kind kind, size_t nbytes, int64_t queue_ns)
{
	if (policy_caller_waits(policy) || queue_ns > BACKLOG_NS)
		return policy_dsa_ns(policy, kind, nbytes) + queue_ns;
	return policy->submit_ns;
}

enum nhost_by policy_choose(
	struct policy *policy, enum nhost_op_kind kind, size_t nbytes, int64_t queue_ns)
{
	int64_t *spent = &policy->factors[kind][class_of(nbytes)].spent_ns;
	int64_t cpu = policy_cpu_ns(policy, kind, nbytes);
	int64_t dsa = dsa_price(policy, kind, nbytes, queue_ns);
	bool is_dsa = dsa < cpu;

	if (nbytes < POLICY_MIN_NBYTES)
		return NHOST_BY_CPU;
	*spent += is_dsa ? dsa : cpu;
	if (*spent / POLICY_TRY_PART > (is_dsa ? cpu : dsa)) {
		*spent = 0;
		is_dsa = !is_dsa;
	}
	return is_dsa ? NHOST_BY_DSA : NHOST_BY_CPU;
}

bool policy_can_part(enum nhost_op_kind kind)
{
	return kind == NHOST_COPY || kind == NHOST_FILL || kind == NHOST_DUALCAST;
}

/* x * dsa + queue = (nbytes - x) * cpu; the rate of DSA is that of parts of so many bytes. */
static size_t balance(const struct policy *policy, enum nhost_op_kind kind, size_t nbytes,
	int64_t queue_ns, size_t like)
{
	double cpu = (double)policy_cpu_ns(policy, kind, nbytes) / (double)nbytes;
	double dsa = (double)policy_dsa_ns(policy, kind, like) / (double)like;
	double part = ((double)nbytes * cpu - (double)queue_ns) / (cpu + dsa);

	return part < PART_MIN ? 0 : (size_t)part / PAGE * PAGE;
}

size_t policy_cut(
	const struct policy *policy, enum nhost_op_kind kind, size_t nbytes, int64_t queue_ns)
{
	size_t cut;

	if (!policy_can_part(kind) || nbytes < POLICY_SPLIT_NBYTES)
		return 0;
	cut = balance(policy, kind, nbytes, queue_ns, nbytes);
	/* What was learnt of such parts, which may be another size. */
	if (cut)
		cut = balance(policy, kind, nbytes, queue_ns, cut);
	return nbytes - cut < PART_MIN ? 0 : cut;
}

static void learn(uint32_t *factor, int64_t guess_ns, int64_t took_ns)
{
	int64_t seen = took_ns * POLICY_ONE / (guess_ns ? guess_ns : 1);

	seen = seen < FACTOR_MIN ? FACTOR_MIN : seen > FACTOR_MAX ? FACTOR_MAX : seen;
	*factor = (uint32_t)(((LEARN - 1) * (int64_t)*factor + seen) / LEARN);
}

void policy_saw_cpu(struct policy *policy, enum nhost_op_kind kind, size_t nbytes, int64_t took_ns)
{
	learn(&policy->factors[kind][class_of(nbytes)].cpu, cpu_guess(policy, nbytes), took_ns);
}

void policy_saw_dsa(struct policy *policy, enum nhost_op_kind kind, size_t nbytes, int64_t took_ns)
{
	learn(&policy->factors[kind][class_of(nbytes)].dsa, dsa_guess(nbytes), took_ns);
}

void policy_saw_submit(struct policy *policy, int64_t took_ns)
{
	policy->submit_ns =
		(uint32_t)(((LEARN - 1) * (int64_t)policy->submit_ns + took_ns) / LEARN);
}

/* Slowly: a caller's habit, not what happened once. */
void policy_saw_end(struct policy *policy, bool caller_waited)
{
	uint32_t now = caller_waited ? POLICY_ONE : 0;

	policy->waits = (15 * policy->waits + now + (caller_waited ? 15 : 0)) / 16;
}

size_t policy_crossover(const struct policy *policy, enum nhost_op_kind kind)
{
	for (unsigned class = 0; class < 40; class ++) {
		size_t nbytes = (size_t)1 << class;

		if (nbytes >= POLICY_MIN_NBYTES &&
			dsa_price(policy, kind, nbytes, 0) < policy_cpu_ns(policy, kind, nbytes))
			return nbytes;
	}
	return SIZE_MAX;
}
