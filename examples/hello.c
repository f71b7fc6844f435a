/* hello.c - a kernel answers the host through two pipes:  nprocc hello.c -o hello && ./hello */
#include <stdio.h>
#include <string.h>

#include <nearside/kernel.h>

NPROC_KERNEL int64_t hello(void)
{
	char text[NPIPE_BUF] = "hello, ";
	int64_t greeted = 0;
	ssize_t nbytes;

	while ((nbytes = npipe_read(0, text + 7, sizeof text - 7)) > 0) {
		npipe_write(1, text, 7 + (size_t)nbytes);
		greeted++;
	}
	return greeted;
}

int main(void)
{
	static const char *const names[] = {"world", "far memory"};
	struct nproc_device *device;
	struct nproc_image *image;
	struct npipe *request[2], *reply[2];
	struct nproc *process;
	struct nproc_status status;
	char text[NPIPE_BUF];

	if (nproc_device_open(NULL, &device) || nproc_image_embedded(device, &image) ||
		npipe_create(device, request) || npipe_create(device, reply))
		return 1;
	struct nproc_attr attr = NPROC_ATTR_INIT;
	attr.ends = (struct npipe *[]){request[0], reply[1]}; /* ends 0 and 1 of the process */
	attr.end_count = 2;
	if (nproc_spawn(device, image, "hello", &attr, &process))
		return 1;

	for (int i = 0; i < 2; i++) {
		npipe_write(request[1], names[i], strlen(names[i]));
		int64_t nbytes = npipe_read(reply[0], text, sizeof text);
		printf("%.*s\n", (int)nbytes, text);
	}
	npipe_close(request[1]); /* the kernel reads end of file and returns */
	nproc_wait(process, &status, NPROC_FOREVER);
	printf("the process %s\n", nproc_status_text(&status, text, sizeof text));
	nproc_device_close(device);
	return 0;
}
