#pragma once
#include <nearside/kernel.h>

NPROC_KERNEL int64_t from_header(int n)
{
	return n;
}
