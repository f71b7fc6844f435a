#include "kernel_in_header.h"

int main(void)
{
	return 0;
}
