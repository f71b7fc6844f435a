/* hostile.h - an end whose peer writes what it likes into its region, whenever it likes. */
#ifndef NEARSIDE_TESTS_HOST_NIPC_HOSTILE_H
#define NEARSIDE_TESTS_HOST_NIPC_HOSTILE_H

#include <stddef.h>
#include <stdint.h>

/*
 * The bytes say what the peer scribbles and which calls the victim makes, without time. Ends the
 * program where the victim looks outside the region, or gives a result that no call may give.
 */
void hostile_run(const uint8_t *bytes, size_t nbytes);

#endif
