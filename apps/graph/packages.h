/*
 * packages.h - the packages of a Debian distribution as a graph, out of a list of control stanzas.
 *
 * A package is a vertex, called by its name; several versions or architectures of a package are one
 * vertex. An edge leads from a package to each one that its Depends, Pre-Depends, Recommends or
 * Suggests mention: every alternative of `a | b`; versions, architectures and build profiles are
 * left out. A name that is no package but that packages provide stands for all of these. A name
 * that is neither is counted and left out.
 */
#ifndef NEARSIDE_GRAPH_PACKAGES_H
#define NEARSIDE_GRAPH_PACKAGES_H

#include "apps/graph/edges.h"
#include "apps/graph/lines.h"

/*
 * Reads stanzas (as in apt's Packages files) into `edges`, which is empty before and to be closed
 * afterwards. *unknown_count: relations to names that are neither packages nor provided.
 */
int packages_read(
	struct lines *lines, struct edges *edges, uint64_t *unknown_count, struct problem *problem);

/*
 * Likewise, what `apt-cache dumpavail` prints: for every package the version that apt would
 * install. -ENOENT: there is no apt, or it has no lists (the problem says what to do).
 */
int packages_from_apt(struct edges *edges, uint64_t *unknown_count, struct problem *problem);

#endif
