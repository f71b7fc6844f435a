/* main.c - nearside-graph: graph searches on near-memory devices. One command so far: bfs. */
#include <stdio.h>
#include <string.h>

#include "apps/graph/bfs.h"
#include "apps/graph/options.h"

int main(int argc, char **argv)
{
	if (argc >= 2 && strcmp(argv[1], "bfs") == 0)
		return bfs_command(argc - 1, argv + 1);
	if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		fputs(options_help, stdout);
		return EXIT_OK;
	}
	fprintf(stderr,
		"nearside-graph: %s; the command is bfs, and nearside-graph bfs --help says more\n",
		argc >= 2 ? "unknown command" : "no command");
	return EXIT_USAGE;
}
