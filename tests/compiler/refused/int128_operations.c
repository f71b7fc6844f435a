#include <nearside/kernel.h>

NPROC_KERNEL int64_t divide(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;
	double ratio = (double)product;
	product /= b;
	product = (unsigned __int128)ratio % 7;
	return (int64_t)(product / a);
}


// expect: 6:25: error: conversion between 128-bit integers and floats needs a library call that the device does not have
// expect: note: convert the two 64-bit halves
// expect: 7:2: error: 128-bit division needs a library call that the device does not have
// expect: note: divide in 64 bits, or write the long division
// expect: 8:12: error: 128-bit division needs a library call that the device does not have
// expect: note: divide in 64 bits, or write the long division
// expect: 8:31: error: conversion between 128-bit integers and floats needs a library call that the device does not have
// expect: note: convert the two 64-bit halves
// expect: 9:19: error: 128-bit division needs a library call that the device does not have
// expect: note: divide in 64 bits, or write the long division
