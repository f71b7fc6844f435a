/* embed.h - the kernel library inside nprocc. */
#ifndef NEARSIDE_COMPILER_LIBRARY_EMBED_H
#define NEARSIDE_COMPILER_LIBRARY_EMBED_H

extern const unsigned char nkl_bitcode_begin[];
extern const unsigned char nkl_bitcode_end[];

#endif
