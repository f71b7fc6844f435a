/* link.c - single source: the host code of every input, and the image inside, become one program. */
#include "compiler/nprocc.h"

bool link_program(const struct program *program, const void *image, size_t image_nbytes)
{
	(void)image;
	(void)image_nbytes;
	diag_error(program->options->output, 0, 0, "programs cannot be linked yet", "use -c");
	return false;
}
