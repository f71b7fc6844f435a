/*
 * host.cpp - a host program in C++17. Kernels have a file of their own, and nproc_spawnv() takes
 * their arguments one by one, because nproc_spawn() needs C11's _Generic.
 *
 *     nprocc -c kernels.c -o kernels.o
 *     c++ -std=c++17 host.cpp kernels.o $(pkg-config --cflags --libs nearside) -o host
 *     LD_LIBRARY_PATH=FOLDER/lib ./host       where Nearside is not in a folder of the system's
 */
#include <iostream>
#include <memory>
#include <numeric>
#include <stdexcept>

#include <nearside/nmem.h>
#include <nearside/nproc.h>

namespace
{

struct closer {
	void operator()(nproc_device *device) const
	{
		nproc_device_close(device);
	}
};

using device_handle = std::unique_ptr<nproc_device, closer>; /* closes all that belongs to it */

void check(nproc_device *device, int result)
{
	char text[256];

	if (result < 0)
		throw std::runtime_error(nproc_detail(device, text, sizeof text));
}

device_handle open_device()
{
	nproc_device *opened = nullptr;
	int result = nproc_device_open(nullptr, &opened);
	device_handle device(opened);

	check(opened, result);
	return device;
}

int64_t largest(nproc_device *device, const int64_t *numbers, uint64_t count)
{
	nproc_image *image = nullptr;
	struct nproc *process = nullptr;
	struct nproc_status status;
	const nproc_arg arguments[] = {nproc_arg_pointer(numbers), nproc_arg_unsigned(count)};

	check(device, nproc_image_embedded(device, &image));
	check(device, nproc_spawnv(device, image, "largest", nullptr, &process, 2, arguments));
	check(device, nproc_wait(process, &status, NPROC_FOREVER));
	return status.exit_code;
}

} // namespace

int main()
{
	try {
		device_handle device = open_device();
		void *memory = nullptr;

		check(device.get(), nmem_alloc(device.get(), 1000 * sizeof(int64_t), &memory));
		auto *numbers = static_cast<int64_t *>(memory);
		std::iota(numbers, numbers + 1000, 1);
		std::cout << "the largest of 1000 numbers is "
			  << largest(device.get(), numbers, 1000) << "\n";
	} catch (const std::exception &error) {
		std::cerr << "host: " << error.what() << "\n";
		return 1;
	}
	return 0;
}
