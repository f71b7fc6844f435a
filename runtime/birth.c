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

/* An EXIT for a core that waits for room. */
struct notice {
	STAILQ_ENTRY(notice) waiting;
	struct nmsg_exit how;
};

/* The parts of an WANT, found in its joined payload. */
struct ask {
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
	device->notices.nbytes = sizeof(struct notice);
	for (unsigned core = 0; core < device_core_count(device); core++) {
		STAILQ_INIT(&device->cores[core].births);
		STAILQ_INIT(&device->cores[core].notices);
	}
}

/* ---- telling --------------------------------------------------------------------------------- */

static bool send_exit(struct nproc_device *device, unsigned core, const struct nmsg_exit *how)
{
	struct nchan_place *place = &device->port.place;

	if (!nchan_place_room(place, core + 1))
		return false;
	nchan_place_send(
		place, core + 1, nchan_head(NCHAN_EXIT, sizeof(*how), 0, 0), how, sizeof(*how));
	return true;
}

static void tell(struct nproc_device *device, unsigned core, const struct nmsg_exit *how)
{
	struct notice *notice;

	if (STAILQ_EMPTY(&device->cores[core].notices) && send_exit(device, core, how))
		return;
	notice = pool_take(&device->notices);
	if (!notice) {
		device->port.gone = device_fail(
			device, ENOMEM, "no memory to tell a process that its child has ended");
		return;
	}
	notice->how = *how;
	STAILQ_INSERT_TAIL(&device->cores[core].notices, notice, waiting);
	nchan_tx_ask(&device->port.place.links[core + 1].tx);
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

static bool parse(const struct want_input *input, struct ask *ask)
{
	if (input->nbytes < sizeof(ask->head))
		return false;
	memcpy(&ask->head, input->bytes, sizeof(ask->head));
	if (ask->head.end_count > NK_ENDS_MAX || ask->head.word_count > NK_ARG_WORDS_MAX)
		return false;
	ask->ends = (const uint32_t *)(const void *)(input->bytes + sizeof(ask->head));
	ask->words = (const uint64_t *)(const void *)(input->bytes + words_offset(&ask->head));
	return input->nbytes == words_offset(&ask->head) + ask->head.word_count * 8u;
}

/* Who asks is of a living family, which knows only the kernels of its image. */
static bool find_kernel(const struct nproc_device *device, struct ask *ask)
{
	const struct nhost_image *image;
	bool is_born = nreg_self_process(ask->head.self) > device->host.identity.processes_max;

	ask->family = is_born ? head_by_self(device, ask->core, ask->head.self) : NULL;
	if (!ask->family || ask->head.image != ask->family->image->id ||
		ask->head.core < NPROC_ANY_CORE ||
		ask->head.core >= (int)device_core_count(device) ||
		ask->head.weight > NPROC_WEIGHT_MAX)
		return false;
	image = ask->family->image->image;
	if (ask->head.kernel >= nhost_image_kernel_count(image))
		return false;
	ask->kernel = nhost_image_kernel(image, ask->head.kernel);
	ask->params = nhost_image_params(image, ask->kernel);
	return true;
}

/* Was the family granted the allocation at this address, for writing if need be? */
static bool is_granted(const struct ask *ask, uint64_t address, bool writes)
{
	const struct grant_set *set = ask->family->grants;
	const struct far_extent *extent = far_find(&ask->family->device->far, address);

	for (unsigned i = 0; extent && set && i < set->count; i++)
		if (set->uses[i].grant.extent == extent &&
			(!writes || set->uses[i].grant.is_writable))
			return true;
	return false;
}

static bool take_pointer(const struct ask *ask, struct arguments *arguments, bool is_const)
{
	unsigned grant = arguments->grant_count++;
	uint64_t address = ask->words[arguments->word_count++];
	bool writes = ask->head.writable >> grant & 1;

	arguments->pointers[grant] = (const void *)(uintptr_t)address;
	arguments->grants[grant].is_writable = writes;
	return address ? !(writes && is_const) && is_granted(ask, address, writes) : !writes;
}

static bool take_words(const struct ask *ask, struct arguments *arguments)
{
	for (uint32_t i = 0; i < ask->kernel->param_count; i++) {
		const struct nimg_param *param = &ask->params[i];
		unsigned count = param->kind == NIMG_STRUCT ? (param->bytes + 7u) / 8 : 1;

		if (arguments->word_count + count > ask->head.word_count)
			return false;
		if (param->kind != NIMG_FAR)
			arguments->word_count += count;
		else if (!take_pointer(ask, arguments, param->is_const))
			return false;
	}
	memcpy(arguments->words, ask->words, arguments->word_count * sizeof(uint64_t));
	return arguments->word_count == ask->head.word_count;
}

/* ---- birth ----------------------------------------------------------------------------------- */

static void close_ends(struct birth *birth)
{
	for (unsigned i = 0; i < birth->attr.end_count; i++)
		pipe_close(birth->ends[i]);
}

static bool take_ends(struct nproc_device *device, const struct ask *ask, struct birth *birth)
{
	const uint32_t pipes = device->host.identity.pipes_max;

	for (unsigned i = 0; i < ask->head.end_count; i++) {
		uint32_t id = ask->ends[i] & ~NMSG_END_WRITES;
		struct npipe *end = NULL;

		if (ask->ends[i] & NMSG_END_WRITES && id && id <= pipes &&
			device->pipes[id].writing_places >> ask->core & 1)
			end = pipe_take_back(device, id, ask->core);
		if (!end)
			return false;
		birth->ends[birth->attr.end_count++] = end;
	}
	return true;
}

static bool prepare(struct nproc_device *device, const struct ask *ask, struct birth *birth)
{
	*birth = (struct birth){
		.spawn = {.device = device,
			.image = ask->family->image,
			.attr = &birth->attr,
			.kernel = ask->head.kernel,
			.arguments = {.image = ask->family->image->image, .kernel = ask->kernel}},
		.attr = {ask->head.core, 0, birth->ends, ask->family->group, ask->head.weight},
	};
	return take_words(ask, &birth->spawn.arguments) && take_ends(device, ask, birth);
}

/* 0, or why not. The program's last failure is not this one. */
static int take(struct nproc_device *device, const struct ask *ask, struct spawn *spawn)
{
	struct nhost_error before;
	int result;

	if (ask->family->kills_family)
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

static int begin(struct nproc_device *device, const struct ask *ask, struct birth *birth)
{
	int result = take(device, ask, &birth->spawn);
	struct nproc *process = result ? NULL : spawn_enlist(&birth->spawn);

	if (result)
		return result;
	if (!process) {
		spawn_put_back(&birth->spawn);
		return -ENOMEM;
	}
	process->references--; /* nobody has a handle */
	process->parent = ask->head.self;
	process->parent_core = (uint16_t)ask->core;
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

static void flush_notices(struct nproc_device *device, unsigned core)
{
	struct notice *notice;

	while ((notice = STAILQ_FIRST(&device->cores[core].notices)) &&
		send_exit(device, core, &notice->how)) {
		STAILQ_REMOVE_HEAD(&device->cores[core].notices, waiting);
		pool_put(&device->notices, notice);
	}
	if (notice)
		nchan_tx_ask(&device->port.place.links[core + 1].tx);
}

void births_flush(struct nproc_device *device)
{
	for (unsigned core = 0; core < device_core_count(device); core++) {
		if (!STAILQ_EMPTY(&device->cores[core].births))
			flush_births(device, core);
		if (!STAILQ_EMPTY(&device->cores[core].notices))
			flush_notices(device, core);
	}
}

static bool take_ask(struct nproc_device *device, unsigned core)
{
	struct ask ask = {.core = core};
	struct birth *birth;
	int result;

	if (!parse(&device->cores[core].want, &ask) || !find_kernel(device, &ask))
		return false;
	birth = pool_take(&device->births);
	if (!birth) {
		tell(device, core,
			&(struct nmsg_exit){
				.self = ask.head.self, .value = -ENOMEM, .ending = NMSG_REFUSED});
		return ask.head.end_count == 0; /* else ends are lost */
	}
	result = prepare(device, &ask, birth) ? begin(device, &ask, birth) : -EPROTO;
	if (result) {
		close_ends(birth);
		pool_put(&device->births, birth);
	}
	if (result && result != -EPROTO)
		tell(device, core,
			&(struct nmsg_exit){
				.self = ask.head.self, .value = result, .ending = NMSG_REFUSED});
	return result != -EPROTO;
}

bool birth_receive(struct nproc_device *device, unsigned core, const struct nchan_line *line)
{
	struct want_input *input = &device->cores[core].want;
	unsigned nbytes = nchan_head_length(line->head);
	unsigned follow = nchan_head_arg(line->head);

	if (input->lines_left && follow != input->lines_left - 1)
		input->lines_left = 0;
	if (!input->lines_left)
		input->nbytes = 0;
	if (follow >= NMSG_SPAWN_LINES_MAX || input->nbytes + nbytes > sizeof(input->bytes))
		return false;
	memcpy(input->bytes + input->nbytes, line->word, nbytes);
	input->nbytes += nbytes;
	input->lines_left = follow;
	return follow || take_ask(device, core);
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
