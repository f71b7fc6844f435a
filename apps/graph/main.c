/* main.c - nearside-graph: graph searches on near-memory devices. One command so far: bfs. */
#include <stdio.h>
#include <string.h>

#include "apps/graph/bfs.h"
#include "apps/graph/options.h"

int main(int argc, char **argv)
{
	static char name[] = "nearside-graph"; /* by which getopt() begins its messages */

	if (argc >= 2 && strcmp(argv[1], "bfs") == 0) {
		argv[1] = name;
		return bfs_command(argc - 1, argv + 1);
	}
	if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return options_print(options_help);
	if (argc >= 2 && strcmp(argv[1], "--version") == 0)
		return options_print("nearside-graph " GRAPH_VERSION "\n");
	fprintf(stderr,
		"nearside-graph: %s%s; the command is bfs, and nearside-graph bfs --help says more\n",
		argc >= 2 ? "unknown command: " : "no command", argc >= 2 ? argv[1] : "");
	return EXIT_USAGE;
}
