/* bfs.h - the command `nearside-graph bfs`. */
#ifndef NEARSIDE_GRAPH_BFS_H
#define NEARSIDE_GRAPH_BFS_H

/* argv[0] is "bfs". Returns the program's exit code. */
int bfs_command(int argc, char **argv);

#endif
