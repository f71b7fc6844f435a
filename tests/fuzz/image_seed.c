/* image_seed FILE: writes a small valid image, from which the fuzzer starts. */
#include <stdio.h>

#include "tests/host/small_image.h"

int main(int argc, char **argv)
{
	static struct small_image image;
	FILE *file = argc == 2 ? fopen(argv[1], "wb") : NULL;

	small_image_make(&image);
	if (!file || fwrite(&image, sizeof image, 1, file) != 1 || fclose(file)) {
		fprintf(stderr, "usage: image_seed FILE, a file that can be written\n");
		return 1;
	}
	return 0;
}
