/*
 * chains.h - random chains of processes, on any device.
 *
 *     source | echo | ... | sink      with the host as source or sink, or both, now and then
 *
 * Some chains carry packets, some pipes have a capacity.
 *
 * Pipes are made and ends passed in random order, bytes flow meanwhile, some processes are killed
 * and some ends closed early. Whole chains must deliver every byte in order; broken ones must end.
 * Afterwards every pipe, process and byte of far memory must be free again.
 */
#ifndef NEARSIDE_TESTS_CONFORMANCE_CHAINS_H
#define NEARSIDE_TESTS_CONFORMANCE_CHAINS_H

#include <stddef.h>
#include <stdint.h>

enum {
	CHAINS_PIPES = 20 /* that a device is opened with; one that is served must have as many */
};

/*
 * Opens the device, runs `rounds` of chains drawn from the seed, closes it. 0, or -1 and `error`
 * says what is wrong.
 */
int chains_run(const char *device_name, const char *kernels_path, uint64_t seed, unsigned rounds,
	char *error, size_t nbytes);

#endif
