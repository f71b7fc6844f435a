/*
 * pocl.c COUNT - an OpenCL kernel that stores one word, on a CPU device (PoCL), waited for by the
 * host. Prints nanoseconds for one, the 99th percentile, and the processor time of all threads for
 * one.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

static const char *const source =
	"kernel void one(global long *result, long word) { *result = word; }";

struct queue {
	cl_command_queue queue;
	cl_kernel kernel;
	cl_long *result; /* the buffer's own memory: a CPU device works there */
};

static void must(const char *what, cl_int error)
{
	if (error == CL_SUCCESS)
		return;
	fprintf(stderr, "OpenCL has no CPU device to use: %s gave %d\n", what, error);
	exit(1);
}

static void print_version(void)
{
	cl_platform_id platform;
	char version[128];

	must("clGetPlatformIDs", clGetPlatformIDs(1, &platform, NULL));
	must("clGetPlatformInfo",
		clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof(version), version, NULL));
	version[strcspn(version, ",+")] = 0; /* how it was built is of no interest */
	printf("%s\n", version);
}

static void open_queue(struct queue *queue)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_program program;
	cl_mem buffer;
	cl_int error;

	must("clGetPlatformIDs", clGetPlatformIDs(1, &platform, NULL));
	must("clGetDeviceIDs", clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL));
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	must("clCreateContext", error);
	queue->queue = clCreateCommandQueue(context, device, 0, &error);
	must("clCreateCommandQueue", error);
	program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &error);
	must("clCreateProgramWithSource", error);
	must("clBuildProgram", clBuildProgram(program, 1, &device, NULL, NULL, NULL));
	queue->kernel = clCreateKernel(program, "one", &error);
	must("clCreateKernel", error);
	queue->result = aligned_alloc(64, 64);
	buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 64, queue->result, &error);
	must("clCreateBuffer", error);
	must("clSetKernelArg", clSetKernelArg(queue->kernel, 0, sizeof(buffer), &buffer));
}

static cl_long run(const struct queue *queue, cl_long word)
{
	const size_t one = 1;

	must("clSetKernelArg", clSetKernelArg(queue->kernel, 1, sizeof(word), &word));
	must("clEnqueueNDRangeKernel", clEnqueueNDRangeKernel(queue->queue, queue->kernel, 1, NULL,
					       &one, &one, 0, NULL, NULL));
	must("clFinish", clFinish(queue->queue));
	return *(volatile cl_long *)queue->result;
}

static void measure(struct bench_side *side, const struct queue *queue)
{
	cl_long wrong = 0;

	for (cl_long i = 0; i < 100; i++)
		wrong |= run(queue, i) ^ i;
	bench_begin(side);
	for (cl_long i = 0; i < (cl_long)side->count; i++) {
		wrong |= run(queue, i) ^ i;
		bench_lap(side);
	}
	bench_end(side, side->count);
	if (wrong)
		exit(1);
}

int main(int argc, char **argv)
{
	struct bench_side side = {.count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1};
	struct queue queue;

	if (argc > 1 && !strcmp(argv[1], "--version")) {
		print_version();
		return 0;
	}
	setenv("POCL_KERNEL_CACHE", "0", 1); /* leave no files behind */
	open_queue(&queue);
	side.laps = malloc(side.count * sizeof(*side.laps));
	measure(&side, &queue);
	printf("%f %f %f\n", side.value, bench_p99(&side), side.cpu_ns);
	free(side.laps);
	return 0;
}
