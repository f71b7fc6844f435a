/* emit_table.c - what the image's code exports: nk_kernels, with names and places for people. */
#include <string.h>

#include "compiler/emit.h"

/* ---- places of waits ------------------------------------------------------------------------- */

/* Texts joined, each with its NUL. */
struct texts {
	char *bytes;
	size_t nbytes, capacity;
};

static void grow(struct texts *texts, size_t nbytes)
{
	if (nbytes <= texts->capacity)
		return;
	size_t capacity = nbytes * 2;
	char *bytes = pool_alloc(capacity);
	if (texts->nbytes)
		memcpy(bytes, texts->bytes, texts->nbytes);
	texts->bytes = bytes;
	texts->capacity = capacity;
}

/* Where the text stands among the others; each is there once. */
static uint32_t text_at(struct texts *texts, const char *text)
{
	size_t nbytes = strlen(text) + 1;
	for (size_t at = 0; at < texts->nbytes; at += strlen(texts->bytes + at) + 1) {
		if (!strcmp(texts->bytes + at, text))
			return (uint32_t)at;
	}
	grow(texts, texts->nbytes + nbytes);
	memcpy(texts->bytes + texts->nbytes, text, nbytes);
	texts->nbytes += nbytes;
	return (uint32_t)(texts->nbytes - nbytes);
}

static LLVMValueRef constant(struct lower *lower, LLVMValueRef value, const char *name)
{
	LLVMValueRef global = LLVMAddGlobal(lower->module, LLVMTypeOf(value), name);
	LLVMSetInitializer(global, value);
	LLVMSetGlobalConstant(global, 1);
	LLVMSetLinkage(global, LLVMPrivateLinkage);
	return global;
}

/* struct nk_sites */
static LLVMValueRef build_sites(struct lower *lower)
{
	const struct program *program = lower->program;
	size_t count = program->wait_site_count;
	LLVMTypeRef members[] = {lower->i32, lower->i32};
	LLVMTypeRef type = LLVMStructTypeInContext(lower->context, members, 2, 0);
	LLVMValueRef *entries = pool_alloc(count * sizeof *entries);
	struct texts texts = {0};
	for (size_t i = 0; i < count; i++) {
		const struct site *site = &program->sites[i];
		LLVMValueRef fields[] = {
			llvm_u32(lower, text_at(&texts, site->file)), llvm_u32(lower, site->line)};
		entries[i] = LLVMConstStructInContext(lower->context, fields, 2, 0);
	}
	LLVMValueRef fields[] = {llvm_u64(lower, count),
		constant(lower, LLVMConstArray2(type, entries, count), "nk_places"),
		constant(lower,
			LLVMConstStringInContext2(lower->context, texts.bytes, texts.nbytes, 1),
			"nk_files")};
	return constant(lower, LLVMConstStructInContext(lower->context, fields, 3, 0), "nk_sites");
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* Which argument words are far pointers, and which of these do not point to const. */
static void far_words(
	const struct kernel *kernel, uint64_t *count, uint64_t *far, uint64_t *writable)
{
	*count = *far = *writable = 0;
	for (unsigned i = 0; i < kernel->param_count; i++) {
		const struct param *param = &kernel->params[i];
		if (param->kind == NIMG_FAR)
			*far |= 1ull << *count;
		if (param->kind == NIMG_FAR && !param->is_const)
			*writable |= 1ull << *count;
		*count += param->kind == NIMG_STRUCT ? (param->bytes + 7) / 8 : 1;
	}
}

static LLVMValueRef name_of(struct lower *lower, const struct kernel *kernel)
{
	LLVMValueRef text =
		LLVMConstStringInContext2(lower->context, kernel->name, strlen(kernel->name), 0);
	return constant(lower, text, "nk_name");
}

/* struct nk_code */
static LLVMValueRef table_entry(
	struct lower *lower, const struct kernel *kernel, enum nimg_isa isa, LLVMValueRef sites)
{
	LLVMValueRef entry = lower_entry(lower, kernel);
	uint64_t count, far, writable;
	far_words(kernel, &count, &far, &writable);
	LLVMSetVisibility(entry, LLVMHiddenVisibility);
	LLVMValueRef fields[] = {entry, llvm_u64(lower, kernel->frame_bytes[isa]),
		llvm_u64(lower, count), llvm_u64(lower, far), llvm_u64(lower, writable),
		llvm_u64(lower, kernel->scratch_bytes), lower_part(lower, kernel, "resume"),
		name_of(lower, kernel), sites};
	return LLVMConstStructInContext(lower->context, fields, sizeof fields / sizeof *fields, 0);
}

/* const struct nk_code nk_kernels[] */
void emit_table(struct lower *lower, enum nimg_isa isa)
{
	const struct program *program = lower->program;
	LLVMValueRef sites = build_sites(lower);
	LLVMValueRef *entries = pool_alloc(program->kernel_count * sizeof *entries);
	for (size_t i = 0; i < program->kernel_count; i++)
		entries[i] = table_entry(lower, program->kernels[i], isa, sites);
	LLVMTypeRef type = LLVMTypeOf(entries[0]);
	LLVMValueRef table = LLVMConstArray2(type, entries, program->kernel_count);
	LLVMValueRef global = LLVMAddGlobal(lower->module, LLVMTypeOf(table), "nk_kernels");
	LLVMSetInitializer(global, table);
	LLVMSetGlobalConstant(global, 1);
	LLVMSetVisibility(global, LLVMProtectedVisibility); /* the kernels find it, too */
	lower_spawn_resolve(lower, global, type);
}
