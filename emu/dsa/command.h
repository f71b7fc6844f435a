/* command.h - a row of the table of the program nearside. */
#ifndef NEARSIDE_EMU_DSA_COMMAND_H
#define NEARSIDE_EMU_DSA_COMMAND_H

int dsa_model_command(int argc, char **argv);

#endif
