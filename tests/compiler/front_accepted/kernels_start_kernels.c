#include <nearside/kernel.h>

NPROC_KERNEL int64_t defined_later(const far int *numbers, struct nproc_outcome how, bool flag);

static int start(const far int *numbers)
{
	struct nproc_outcome how = {NPROC_EXITED, 0, 1};
	return nproc_spawn(NPROC_HERE, (defined_later(numbers, how, true)));
}

NPROC_KERNEL int64_t itself(far int *numbers, int depth)
{
	struct nproc_start how = NPROC_START_INIT;
	struct nproc_outcome outcome;
	int ends[2];

	if (!depth)
		return start(numbers);
	how.end_count = npipe_create(ends) ? 0 : 2;
	how.ends[0] = ends[0];
	how.ends[1] = npipe_dup(ends[1]);
	int child = nproc_spawn(how, itself(numbers + 1, depth - 1));
	nproc_kill(child);
	return nproc_wait(child, &outcome) == child ? outcome.exit_code : nproc_wait(child, NULL);
}

int64_t defined_later(const far int *numbers, struct nproc_outcome how, bool flag)
{
	return flag ? *numbers : how.exit_code;
}

int host(struct nproc_device *device, struct nproc_image *image)
{
	struct nproc_status status;
	struct nproc *process;
	struct npipe *ends[2], *copy;

	nproc_spawn(device, image, "itself", NULL, &process, NULL, 3);
	nproc_kill(process);
	npipe_create(device, ends);
	npipe_dup(ends[0], &copy);
	return nproc_wait(process, &status, NPROC_FOREVER);
}
