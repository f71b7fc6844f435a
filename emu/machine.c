#include "emu/machine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "emu/code.h"
#include "host/cancel.h"

int nemu_platform_load(void *context, const void *code, uint64_t nbytes, unsigned kernel_count,
	const struct nk_code **kernels, void **handle)
{
	struct nemu_code *loaded;
	int cancel = nhost_cancel_hold(); /* in a simulation the thread is the program's */
	int result = nemu_code_load(code, nbytes, kernel_count, kernels, &loaded);

	nhost_cancel_release(cancel);
	(void)context;
	*handle = loaded;
	return result;
}

void nemu_platform_unload(void *context, void *handle)
{
	int cancel = nhost_cancel_hold();

	(void)context;
	nemu_code_unload(handle);
	nhost_cancel_release(cancel);
}

static struct nreg_identity identity_for(const struct nhost_options *options, unsigned capabilities)
{
	return (struct nreg_identity){
		.far_bytes = options->far_nbytes,
		.generation = 1,
		.capabilities = capabilities,
		.core_count = options->cores,
		.isa = nemu_code_isa(),
		.processes_max = options->processes,
		.pipes_max = options->pipes,
		.port = options->port,
		.cells_max = NREG_USUAL_CELLS,
		.grant_sets_max = NREG_USUAL_GRANT_SETS,
		.frame_bytes_max = NREG_USUAL_FRAME_BYTES,
		.scratch_bytes = NREG_USUAL_SCRATCH_BYTES,
	};
}

static int map_memory(struct nemu_machine *machine, struct nhost_error *error)
{
	uint64_t nbytes = ndev_memory_bytes(&machine->identity);
	void *memory = mmap(NULL, nbytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return nhost_fail(error, ENOMEM,
			"cannot get %" PRIu64 " bytes of address space for %u cores (%s): "
			"open fewer with the option cores=N, or raise the limit (ulimit -v, "
			"vm.overcommit_memory)",
			nbytes, machine->identity.core_count, strerror(errno));
	machine->memory = memory;
	machine->memory_nbytes = nbytes;
	return 0;
}

int nemu_machine_prepare(struct nemu_machine *machine, const struct nhost_region_kind *kind,
	const struct nhost_options *options, unsigned capabilities, struct nhost_error *error)
{
	uint64_t base = machine->identity.base;
	int result;

	machine->identity = identity_for(options, capabilities);
	machine->identity.base = base;
	result = kind->create(options->place, &machine->identity, &machine->region, error);
	if (result)
		return result;
	result = map_memory(machine, error);
	if (result)
		nhost_region_unmap(&machine->region);
	return result;
}

void nemu_machine_boot(struct nemu_machine *machine, const struct ndev_platform *platform)
{
	machine->platform = *platform;
	machine->device = ndev_init(machine->memory, machine->region.memory, &machine->platform);
}

void nemu_machine_halt(struct nemu_machine *machine)
{
	if (!machine->device)
		return;
	ndev_close(machine->device);
	machine->device = NULL;
	madvise(machine->memory, machine->memory_nbytes, MADV_DONTNEED);
}

int nemu_machine_create(struct nemu_machine *machine, const struct nhost_region_kind *kind,
	const struct nhost_options *options, unsigned capabilities,
	const struct ndev_platform *platform, struct nhost_error *error)
{
	int result = nemu_machine_prepare(machine, kind, options, capabilities, error);

	if (!result)
		nemu_machine_boot(machine, platform);
	return result;
}

void nemu_machine_destroy(struct nemu_machine *machine)
{
	if (machine->device)
		ndev_close(machine->device);
	munmap(machine->memory, machine->memory_nbytes);
	nhost_region_unmap(&machine->region);
}

void nemu_machine_describe(
	const struct nemu_machine *machine, const char *head, struct nhost_device *device)
{
	const struct nreg_identity *identity = &machine->identity;

	device->region = machine->region.memory;
	device->identity = *identity;
	snprintf(device->name, sizeof device->name, "%scores=%u,far=%" PRIu64 "%s%s", head,
		identity->core_count, identity->far_bytes, identity->port ? ",port=" : "",
		identity->port ? nchan_ports[identity->port].name : "");
}
