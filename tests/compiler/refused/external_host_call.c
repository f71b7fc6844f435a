#include <nearside/kernel.h>
#include <nearside/nmem.h>

NPROC_KERNEL int64_t grow(struct nproc_device *device)
{
	void *more;
	return nmem_alloc(device, 64, &more);
}


// expect: 4:48: error: parameter 'device' is a private pointer: the host's memory is not the device's
// expect: note: allocate with nmem_alloc() on the host and declare it `far struct nproc_device *`
// expect: 7:9: error: 'nmem_alloc' is a call of the host
// expect: note: nearside/kernel.h lists the calls of kernels; let the host do the rest and pass what comes of it
