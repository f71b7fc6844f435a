/*
 * image.h - the format of a kernel image (.nk), all integers little-endian.
 *
 *   struct nimg_header | struct nimg_kernel[] | struct nimg_param[] | struct nimg_site[] |
 *   strings | code
 *
 * Offsets count from the start of the image. Every part lies inside total_bytes, and is aligned to
 * 8; code blobs to 64. checksum is CRC-32 (as zlib's crc32) over the whole image with that field as
 * zero: it detects corruption, not malice; an image is trusted like a shared library. Strings are
 * NUL-terminated and are named by their offset in the string part; offset 0 is "".
 */
#ifndef NEARSIDE_DEVICE_ABI_IMAGE_H
#define NEARSIDE_DEVICE_ABI_IMAGE_H

#include <stdint.h>

#define NIMG_MAGIC "NEARSIDE" /* 8 bytes, no NUL */
enum {
	NIMG_VERSION = 1
};

enum nimg_isa {
	NIMG_X86_64,    /* baseline */
	NIMG_X86_64_V3, /* AVX2, BMI2, FMA */
	NIMG_RISCV64,   /* rv64gc_zba_zbb_zbs */
	NIMG_ISA_COUNT
};

struct nimg_part {
	uint64_t offset;
	uint64_t bytes;
};

struct nimg_header {
	char magic[8];
	uint32_t version;     /* NIMG_VERSION */
	uint32_t abi_version; /* NK_ABI_VERSION */
	uint64_t total_bytes;
	uint32_t checksum;
	uint32_t kernel_count;
	uint32_t param_count;
	uint32_t site_count;
	struct nimg_part strings;
	struct nimg_part code[NIMG_ISA_COUNT]; /* an ELF shared object each; 0 bytes: absent */
	uint64_t kernels_offset;
	uint64_t params_offset;
	uint64_t sites_offset;
};

enum nimg_param_kind {
	NIMG_INT,    /* bytes 1, 2, 4, 8; is_signed */
	NIMG_FLOAT,  /* bytes 4, 8 */
	NIMG_FAR,    /* far pointer; is_const: grants read-only */
	NIMG_STRUCT, /* bytes 1..NK_STRUCT_PARAM_MAX */
	NIMG_PARAM_KIND_COUNT
};

struct nimg_param {
	uint32_t name; /* string */
	uint32_t type; /* string, as written in C, for messages */
	uint8_t kind;  /* enum nimg_param_kind */
	uint8_t bytes;
	uint8_t is_signed;
	uint8_t is_const;
	uint32_t reserved;
};

struct nimg_kernel {
	uint32_t name; /* string */
	uint32_t first_param;
	uint32_t param_count;
	uint32_t frame_bytes; /* the largest over all ISAs */
	uint32_t stack_bytes; /* bound of what a resume uses, likewise */
	uint32_t suspends;    /* suspension points */
	uint32_t far_accesses;
	uint32_t code_bytes[NIMG_ISA_COUNT];
	uint32_t file; /* string: where it is defined */
	uint32_t line;
};

/* Site n of a fault is entry n; entry 0 is "no place known" with line 0. */
struct nimg_site {
	uint32_t file; /* string */
	uint32_t line;
	uint32_t column;
	uint32_t function; /* string */
	uint32_t text;     /* string: of an assertion; else "" */
	uint32_t reserved;
};

#endif
