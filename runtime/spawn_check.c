/*
 * spawn_check.c - may the program ask for this spawn? Attributes, and the ends that go with it.
 */
#include <errno.h>

#include "runtime/spawn_int.h"

int spawn_check_attr(const struct spawn *spawn)
{
	unsigned cores = device_core_count(spawn->device);

	if (spawn->attr->core != NPROC_ANY_CORE &&
		(spawn->attr->core < 0 || (unsigned)spawn->attr->core >= cores))
		return device_fail(spawn->device, EINVAL, "core %d: the device has cores 0 to %u",
			spawn->attr->core, cores - 1);
	if (spawn->attr->end_count > NPROC_ENDS_MAX)
		return device_fail(spawn->device, EINVAL, "%u ends: at most %d can be passed",
			spawn->attr->end_count, NPROC_ENDS_MAX);
	if (spawn->attr->weight > NPROC_WEIGHT_MAX)
		return device_fail(spawn->device, EINVAL, "weight %u: at most %d",
			spawn->attr->weight, NPROC_WEIGHT_MAX);
	if (spawn->attr->end_count && !spawn->attr->ends)
		return device_fail(spawn->device, EINVAL, "%u ends, but no array of them",
			spawn->attr->end_count);
	return 0;
}

static bool is_given_twice(const struct nproc_attr *attr, unsigned index)
{
	for (unsigned i = 0; i < index; i++)
		if (attr->ends[i] == attr->ends[index])
			return true;
	return false;
}

/* How many reading ends of this pipe are passed here. */
static unsigned readers_passed(const struct nproc_attr *attr, uint32_t pipe)
{
	unsigned count = 0;

	for (unsigned i = 0; i < attr->end_count; i++)
		count += attr->ends[i]->pipe == pipe && !attr->ends[i]->writes;
	return count;
}

static int check_end(const struct spawn *spawn, unsigned index)
{
	const struct npipe *end = spawn->attr->ends[index];

	if (!end || end->device != spawn->device || !end->end || is_given_twice(spawn->attr, index))
		return device_fail(spawn->device, EBADF, "end %u: %s", index,
			!end                           ? "NULL"
			: end->device != spawn->device ? "it belongs to another device"
			: !end->end ? "it was given away before; duplicate ends with npipe_dup()"
				    : "it is passed twice; duplicate it with npipe_dup()");
	return 0;
}

bool spawn_lends(const struct spawn *spawn, const struct npipe *end)
{
	return !end->writes &&
	       !nchan_has_all_readers(end->end, readers_passed(spawn->attr, end->pipe));
}

/* Only the host calls, and one place answers. */
static int check_call(const struct spawn *spawn, unsigned index)
{
	const struct npipe *end = spawn->attr->ends[index];

	if (!end->is_of_calls)
		return 0;
	if (end->writes)
		return device_fail(spawn->device, EOPNOTSUPP,
			"end %u: processes cannot call; give them the end that answers, or use "
			"two pipes",
			index);
	return spawn_lends(spawn, end)
		       ? device_fail(spawn->device, EBUSY,
				 "end %u: another end that answers its calls is open "
				 "at the host; close it first",
				 index)
		       : 0;
}

int spawn_check_ends(const struct spawn *spawn)
{
	int result = 0;

	for (unsigned i = 0; i < spawn->attr->end_count && !result; i++)
		result = check_end(spawn, i);
	for (unsigned i = 0; i < spawn->attr->end_count && !result; i++)
		result = check_call(spawn, i);
	return result;
}
