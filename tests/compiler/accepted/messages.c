/* case 103: messages of every size from 0 to 300, whole and in pieces. */
#include <nearside/kernel.h>

/* As often as it takes: a read gives what is there. */
static ssize_t read_all(uint8_t *bytes, size_t nbytes)
{
	size_t done = 0;
	while (done < nbytes) {
		ssize_t got = npipe_read(0, bytes + done, nbytes - done);
		if (got <= 0)
			return done ? (ssize_t)done : got;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

NPROC_KERNEL int64_t messages(far uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	uint8_t buffer[300];
	int64_t total = 0;
	for (unsigned size = 0; size <= sizeof buffer; size++) {
		ssize_t got = size % 3 == 0 ? read_all(buffer, size) : npipe_read_full(0, buffer, size);
		if (got < 0)
			return got;
		for (ssize_t i = 0; i < got; i++)
			buffer[i] ^= memory[(size + (uint64_t)i) % nbytes];
		ssize_t put = npipe_write(1, buffer, (size_t)got);
		if (put != got)
			return -1000 - put;
		total = total * 31 + got + (int64_t)seed;
	}
	npipe_close(0);
	npipe_close(1);
	return total;
}
