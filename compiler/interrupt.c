/*
 * interrupt.c - a signal that ends the compiler ends the programs that it runs, and removes the folder of
 * intermediate files. Only what may be called while anything is interrupted: hence another program for the folder.
 */
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/nprocc.h"

static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
static const char *volatile folder;
static volatile pid_t running[8];

static void remove_folder(void)
{
	pid_t child = _Fork();
	if (child == 0) {
		execl("/bin/rm", "rm", "-rf", "--", folder, (char *)NULL);
		_exit(127);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
}

static void end(int number)
{
	for (size_t i = 0; i < sizeof running / sizeof *running; i++) {
		if (running[i])
			kill(running[i], number);
	}
	for (size_t i = 0; i < sizeof running / sizeof *running; i++) {
		if (running[i])
			waitpid(running[i], NULL, 0); /* it writes there */
	}
	if (folder)
		remove_folder();
	signal(number, SIG_DFL);
	raise(number);
}

void interrupt_remove(const char *path)
{
	folder = path;
}

static void replace(pid_t old, pid_t new)
{
	for (size_t i = 0; i < sizeof running / sizeof *running; i++) {
		if (running[i] != old)
			continue;
		running[i] = new;
		return;
	}
}

void interrupt_forward(pid_t child)
{
	replace(0, child);
}

void interrupt_forget(pid_t child)
{
	replace(child, 0);
}

void interrupt_in_child(void)
{
	folder = NULL;
	for (size_t i = 0; i < sizeof running / sizeof *running; i++)
		running[i] = 0;
}

void interrupt_catch(void)
{
	struct sigaction action = {.sa_handler = end}, before;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaddset(&action.sa_mask, signals[i]);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		if (!sigaction(signals[i], NULL, &before) && before.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}
