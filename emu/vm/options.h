/* options.h - what `nearside vm run`, `shell` and `device` are told. */
#ifndef NEARSIDE_EMU_VM_OPTIONS_H
#define NEARSIDE_EMU_VM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vm_device_kind {
	VM_RISCV,
	VM_NATIVE,
	VM_NONE, /* the guest has a NUMA node, and cores in the program itself */
};

struct vm_options {
	enum vm_device_kind device;
	unsigned cores;
	uint64_t far_nbytes;
	unsigned timeout_s; /* 0: none */
	bool has_timeout;   /* the user has said so */
	unsigned gdb_port;  /* 0: no debugger */
	bool keep, verbose;
	bool is_incoherent; /* memory is treated as not coherent */
	bool wants_help, wants_terminal;
	const char *file; /* that the device serves; NULL: none */
	const char **files;
	size_t file_count;
	char **program; /* ends with NULL; [0] is NULL: none */
};

enum vm_exit {
	VM_EXIT_TIMEOUT = 124, /* as timeout(1) and its like say it */
	VM_EXIT_FAILED = 125,
};

/* False: standard error says what is wrong. `command` is "vm run". */
bool vm_options_read(struct vm_options *options, const char *command, int argc, char **argv);

#endif
