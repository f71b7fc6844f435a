/* vm.h - `nearside vm`: machines that QEMU emulates. */
#ifndef NEARSIDE_EMU_VM_VM_H
#define NEARSIDE_EMU_VM_VM_H

int vm_command(int argc, char **argv);

#endif
