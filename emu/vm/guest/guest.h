/* guest.h - the parts of the guest's first program. */
#ifndef NEARSIDE_EMU_VM_GUEST_GUEST_H
#define NEARSIDE_EMU_VM_GUEST_GUEST_H

enum {
	GUEST_NOT_RUN = 126, /* as shells say it */
	GUEST_NOT_FOUND = 127,
};

/* Tells the host why with errno's words, and turns the machine off. */
_Noreturn void guest_fail(const char *what, const char *name);

/* Tells the host how far it is. */
void guest_progress(const char *words);

/* Makes the memory of the CXL device usable as /dev/dax0.0. */
void guest_make_dax(void);

#endif
