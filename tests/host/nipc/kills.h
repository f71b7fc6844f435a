/* kills.h - ends whose process is killed at a random point. */
#ifndef NEARSIDE_TESTS_HOST_NIPC_KILLS_H
#define NEARSIDE_TESTS_HOST_NIPC_KILLS_H

#include <stdint.h>

/*
 * Talks to a child, kills it (-9) somewhere, and goes on until it hears of that: NULL, or what was
 * wrong. *random: as in ends.h. It never waits for ever: 20 s.
 */
const char *kills_run(uint64_t *random);

#endif
