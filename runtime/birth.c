/*
 * birth.c - a process wants another on another core: the host spawns that as if the program had
 * asked for it, and tells the core of the first how it ended. What is asked for is not believed: it
 * must be what the first process's head may have.
 */
#include <errno.h>
#include <string.h>

#include "runtime/spawn_int.h"

/* A process whose lines wait for room. */
struct birth {
	STAILQ_ENTRY(birth) waiting;
	struct spawn spawn;
	struct nproc_attr attr;
	struct npipe *ends[NPROC_ENDS_MAX];
};

/* The parts of a WANT, found in its joined payload. */
struct want {
	struct nmsg_want head;
	const uint32_t *ends;
	const uint64_t *words;
	struct nproc *family;
	const struct nimg_kernel *kernel;
	const struct nimg_param *params;
	unsigned core; /* where it comes from */
};

void births_create(struct nproc_device *device)
{
	device->births.nbytes = sizeof(struct birth);
	for (unsigned core = 0; core < device_core_count(device); core++)
		STAILQ_INIT(&device->cores[core].births);
}

static void tell(struct nproc_device *device, unsigned core, const struct nmsg_exit *how)
{
	notice_send(device, core, nchan_head(NCHAN_EXIT, sizeof(*how), 0, 0), how);
}

void birth_tell(struct nproc *process)
{
	struct nmsg_exit how = process->ending;

	how.self = process->parent;
	LIST_REMOVE(process, asked);
	tell(process->device, process->parent_core, &how);
}

/* ---- what is asked for ----------------------------------------------------------------------- */

static unsigned words_offset(const struct nmsg_want *head)
{
	return (unsigned)(sizeof(*head) + ((head->end_count * sizeof(uint32_t) + 7) & ~7ull));
}

static bool parse(const struct nmsg_joined *input, struct want *want)
{
	if (input->nbytes < sizeof(want->head))
		return false;
	memcpy(&want->head, input->bytes, sizeof(want->head));
	if (want->head.end_count > NK_ENDS_MAX || want->head.word_count > NK_ARG_WORDS_MAX)
		return false;
	want->ends = (const uint32_t *)(const void *)(input->bytes + sizeof(want->head));
	want->words = (const uint64_t *)(const void *)(input->bytes + words_offset(&want->head));
	return input->nbytes == words_offset(&want->head) + want->head.word_count * 8u;
}

/* Who asks is of a living family, which knows only the kernels of its image. */
static bool find_kernel(const struct nproc_device *device, struct want *want)
{
	const struct nhost_image *image;
	bool is_born = nreg_self_process(want->head.self) > device->host.identity.processes_max;

	want->family = is_born ? head_by_self(device, want->core, want->head.self) : NULL;
	if (!want->family || want->head.image != want->family->image->id ||
		want->head.core < NPROC_ANY_CORE ||
		want->head.core >= (int)device_core_count(device) ||
		want->head.weight > NPROC_WEIGHT_MAX)
		return false;
	image = want->family->image->image;
	if (want->head.kernel >= nhost_image_kernel_count(image))
		return false;
	want->kernel = nhost_image_kernel(image, want->head.kernel);
	want->params = nhost_image_params(image, want->kernel);
	return true;
}

/* Was the family granted the allocation at this address, for writing if need be? */
static bool is_granted(const struct want *want, uint64_t address, bool writes)
{
	const struct grant_set *set = want->family->grants;
	const struct far_extent *extent = far_find(&want->family->device->far, address);

	for (unsigned i = 0; extent && set && i < set->count; i++)
		if (set->uses[i].grant.extent == extent &&
			(!writes || set->uses[i].grant.is_writable))
			return true;
	return false;
}

static bool take_pointer(const struct want *want, struct arguments *arguments, bool is_const)
{
	unsigned grant = arguments->grant_count++;
	uint64_t address = want->words[arguments->word_count++];
	bool writes = want->head.writable >> grant & 1;

	arguments->pointers[grant] = (const void *)(uintptr_t)address;
	arguments->grants[grant].is_writable = writes;
	return address ? !(writes && is_const) && is_granted(want, address, writes) : !writes;
}

static bool take_words(const struct want *want, struct arguments *arguments)
{
	for (uint32_t i = 0; i < want->kernel->param_count; i++) {
		const struct nimg_param *param = &want->params[i];
		unsigned count = param->kind == NIMG_STRUCT ? (param->bytes + 7u) / 8 : 1;

		if (arguments->word_count + count > want->head.word_count)
			return false;
		if (param->kind != NIMG_FAR)
			arguments->word_count += count;
		else if (!take_pointer(want, arguments, param->is_const))
			return false;
	}
	memcpy(arguments->words, want->words, arguments->word_count * sizeof(uint64_t));
	return arguments->word_count == want->head.word_count;
}

/* ---- birth ----------------------------------------------------------------------------------- */

static void close_ends(struct birth *birth)
{
	for (unsigned i = 0; i < birth->attr.end_count; i++)
		pipe_close(birth->ends[i]);
}

static bool take_ends(struct nproc_device *device, const struct want *want, struct birth *birth)
{
	for (unsigned i = 0; i < want->head.end_count; i++) {
		uint32_t id = want->ends[i] & ~NMSG_END_WRITES;
		bool writes = want->ends[i] & NMSG_END_WRITES;
		struct npipe *end = NULL;

		if (id && id <= device->host.identity.pipes_max &&
			pipe_is_at(&device->pipes[id], want->core, writes))
			end = pipe_take_back(device, id, want->core, writes);
		if (!end)
			return false;
		birth->ends[birth->attr.end_count++] = end;
	}
	return true;
}

static bool prepare(struct nproc_device *device, const struct want *want, struct birth *birth)
{
	*birth = (struct birth){
		.spawn = {.device = device,
			.image = want->family->image,
			.attr = &birth->attr,
			.kernel = want->head.kernel,
			.arguments = {.image = want->family->image->image, .kernel = want->kernel}},
		.attr = {want->head.core, 0, birth->ends, want->family->group, want->head.weight},
	};
	return take_words(want, &birth->spawn.arguments) && take_ends(device, want, birth);
}

/* 0, or why not. The program's last failure is not this one. */
static int take(struct nproc_device *device, const struct want *want, struct spawn *spawn)
{
	struct nhost_error before;
	int result;

	if (want->family->kills_family)
		return -ECANCELED;
	lock_take(&device->detail_lock);
	before = device->detail;
	lock_release(&device->detail_lock);
	result = spawn_take(spawn);
	lock_take(&device->detail_lock);
	device->detail = before;
	lock_release(&device->detail_lock);
	return result;
}

static int begin(struct nproc_device *device, const struct want *want, struct birth *birth)
{
	int result = take(device, want, &birth->spawn);
	struct nproc *process;

	if (result)
		return result;
	spawn_join(&birth->spawn);
	process = spawn_enlist(&birth->spawn);
	if (!process) {
		spawn_put_back(&birth->spawn);
		return -ENOMEM;
	}
	process->references--; /* nobody has a handle */
	process->parent = want->head.self;
	process->parent_core = (uint16_t)want->core;
	LIST_INSERT_HEAD(&device->asked, process, asked);
	device->spawns--;
	device->births_asked++;
	STAILQ_INSERT_TAIL(&device->cores[birth->spawn.core].births, birth, waiting);
	return 0;
}

static void flush_births(struct nproc_device *device, unsigned core)
{
	struct birth *birth;

	while ((birth = STAILQ_FIRST(&device->cores[core].births))) {
		if (!spawn_send(&birth->spawn)) {
			nchan_tx_ask(&device->port.place.links[core + 1].tx);
			return;
		}
		STAILQ_REMOVE_HEAD(&device->cores[core].births, waiting);
		close_ends(birth);
		pool_put(&device->births, birth);
	}
}

void births_flush(struct nproc_device *device)
{
	for (unsigned core = 0; core < device_core_count(device); core++)
		if (!STAILQ_EMPTY(&device->cores[core].births))
			flush_births(device, core);
}

static bool take_want(struct nproc_device *device, unsigned core)
{
	struct want want = {.core = core};
	struct birth *birth;
	int result;

	if (!parse(&device->cores[core].want, &want) || !find_kernel(device, &want))
		return false;
	birth = pool_take(&device->births);
	if (!birth) {
		tell(device, core,
			&(struct nmsg_exit){
				.self = want.head.self, .value = -ENOMEM, .ending = NMSG_REFUSED});
		return want.head.end_count == 0; /* else ends are lost */
	}
	result = prepare(device, &want, birth) ? begin(device, &want, birth) : -EPROTO;
	if (result) {
		close_ends(birth);
		pool_put(&device->births, birth);
	}
	if (result && result != -EPROTO)
		tell(device, core,
			&(struct nmsg_exit){
				.self = want.head.self, .value = result, .ending = NMSG_REFUSED});
	return result != -EPROTO;
}

bool birth_receive(struct nproc_device *device, unsigned core, const struct nchan_line *line)
{
	struct nmsg_joined *lines = &device->cores[core].want;

	return nmsg_join(lines, line) && (lines->lines_left || take_want(device, core));
}

/* It may have ended, and its core been told so, in the meantime. */
bool birth_receive_kill(struct nproc_device *device, unsigned core, const struct nchan_line *line)
{
	struct nproc *process;

	if (nchan_head_length(line->head) != sizeof(struct nmsg_kill))
		return false;
	LIST_FOREACH(process, &device->asked, asked)
	if (process->parent == line->word[0] && process->parent_core == core) {
		kill_begin(process, false);
		break;
	}
	return true;
}
