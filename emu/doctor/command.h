/* command.h - a row of the table of the program nearside. */
#ifndef NEARSIDE_EMU_DOCTOR_COMMAND_H
#define NEARSIDE_EMU_DOCTOR_COMMAND_H

int doctor_command(int argc, char **argv);

#endif
