/*
 * instructions.h - MOVDIR64B, ENQCMD, TPAUSE, UMONITOR and UMWAIT on processors that lack them, by
 * a handler of SIGILL: for tests of what uses them. ENQCMD answers "try again" as often as the DSA
 * model's control page asks for, and tells the model whose descriptor it is, as processors do.
 */
#ifndef NEARSIDE_TESTS_EMU_DSA_INSTRUCTIONS_H
#define NEARSIDE_TESTS_EMU_DSA_INSTRUCTIONS_H

#include "emu/dsa/control.h"

/* control: NULL, or the page of the model. */
void instructions_emulate(struct ndsa_control *control);

/* How often each one was met. */
struct instructions_met {
	unsigned movdir64b, enqcmd, tpause, umonitor, umwait;
};

extern struct instructions_met instructions_met;

#endif
