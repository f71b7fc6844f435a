/* parameters.c - the same arithmetic on both sides. Freestanding. */
#include "emu/riscv/parameters.h"

#include "device/abi/image.h"
#include "device/core.h"

enum {
	CELLS = 512 * 1024,
	GRANT_SETS = 4096,
	FRAME_BYTES = 32 * 1024 * 1024,
	SCRATCH_BYTES = 1024 * 1024,
};

static bool is_sensible(const struct riscv_parameters *parameters)
{
	return parameters->cores && parameters->cores <= NREG_CORES_MAX && parameters->far_nbytes &&
	       parameters->far_nbytes <= 1ull << 40 &&
	       parameters->far_nbytes % NCHAN_LINE_BYTES == 0 && parameters->processes &&
	       parameters->processes <= NCHAN_PIPE_MAX && parameters->pipes &&
	       parameters->pipes <= NCHAN_PIPE_MAX && parameters->port < NCHAN_PORT_COUNT;
}

bool riscv_identity(const struct riscv_parameters *parameters, struct nreg_identity *identity)
{
	static const char name[] = "RISC-V cores in QEMU";

	if (!is_sensible(parameters))
		return false;
	*identity = (struct nreg_identity){
		.magic = NREG_MAGIC,
		.version = NREG_VERSION,
		.abi_version = NK_ABI_VERSION,
		.base = parameters->base,
		.far_bytes = parameters->far_nbytes,
		.capabilities =
			NREG_PREEMPTS_KERNELS | (parameters->is_incoherent ? 0 : NREG_COHERENT),
		.core_count = (uint32_t)parameters->cores,
		.isa = NIMG_RISCV64,
		.processes_max = (uint32_t)parameters->processes,
		.pipes_max = (uint32_t)parameters->pipes,
		.cells_max = CELLS,
		.grant_sets_max = GRANT_SETS,
		.port = (uint32_t)parameters->port,
		.scratch_bytes = SCRATCH_BYTES,
		.frame_bytes_max = FRAME_BYTES,
		.machine = parameters->machine,
	};
	if (parameters->machine &&
		!parameters->is_incoherent) /* QEMU's atomic operations are the processor's */
		identity->capabilities |= NREG_ATOMICS;
	nreg_lay_out(identity);
	for (unsigned i = 0; i < sizeof(name); i++)
		identity->name[i] = name[i];
	return true;
}

uint64_t riscv_ram_nbytes(const struct nreg_identity *identity)
{
	return identity->region_bytes + RISCV_PARAMETERS_BYTES + RISCV_FIRMWARE_BYTES +
	       nreg_align_up(ndev_memory_bytes(identity), NREG_ALIGN) + RISCV_CODE_BYTES +
	       RISCV_TREE_BYTES;
}
