/* lower_table.c - see lower_table.h. */
#include "compiler/lower_table.h"

#include "compiler/llvm.h"

enum {
	WORD_BYTES = 8,
	WORDS_MAX = 8192
};

/* ---- which table ----------------------------------------------------------------------------- */

struct search {
	LLVMValueRef *seen;
	size_t seen_count;
	LLVMValueRef table; /* the only root so far */
	bool is_one;
};

static bool is_new(struct search *search, LLVMValueRef value)
{
	for (size_t i = 0; i < search->seen_count; i++) {
		if (search->seen[i] == value)
			return false;
	}
	search->seen = pool_grow(search->seen, search->seen_count, sizeof *search->seen);
	search->seen[search->seen_count++] = value;
	return true;
}

static void find_roots(struct search *search, LLVMValueRef pointer)
{
	if (!is_new(search, pointer))
		return;
	bool is_element =
		LLVMIsAGetElementPtrInst(pointer) ||
		(LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr);
	if (is_element || LLVMIsAFreezeInst(pointer)) {
		find_roots(search, LLVMGetOperand(pointer, 0));
	} else if (LLVMIsAPHINode(pointer)) {
		for (unsigned i = 0; i < LLVMCountIncoming(pointer); i++)
			find_roots(search, LLVMGetIncomingValue(pointer, i));
	} else if (LLVMIsASelectInst(pointer)) {
		find_roots(search, LLVMGetOperand(pointer, 1));
		find_roots(search, LLVMGetOperand(pointer, 2));
	} else {
		search->is_one = search->is_one && (!search->table || search->table == pointer);
		search->table = pointer;
	}
}

/* The constant table that an address lies in, or NULL. */
static LLVMValueRef table_of(LLVMValueRef address)
{
	struct search search = {.is_one = true};
	find_roots(&search, address);
	LLVMValueRef table = search.table;
	bool is_table = search.is_one && table && LLVMIsAGlobalVariable(table) &&
			LLVMIsGlobalConstant(table) && LLVMGetInitializer(table);
	return is_table ? table : NULL;
}

/* ---- what stands in it ----------------------------------------------------------------------- */

struct shadow {
	struct lower *lower;
	LLVMValueRef *sizes;   /* a word for each 8 bytes of the table */
	LLVMValueRef *offsets; /* likewise */
	size_t word_count;
	bool has_offsets;
};

static void note_pointer(struct shadow *shadow, LLVMValueRef pointer, uint64_t at)
{
	struct lower *lower = shadow->lower;
	uint64_t offset = 0;
	while (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr) {
		LLVMValueRef added = object_bytes_added(lower, pointer);
		offset += added ? (uint64_t)LLVMConstIntGetSExtValue(added) : 0;
		pointer = LLVMGetOperand(pointer, 0);
	}
	if (!LLVMIsAGlobalVariable(pointer) || !LLVMIsGlobalConstant(pointer) || at % WORD_BYTES)
		return; /* its size stays 0 */
	uint64_t nbytes = LLVMABISizeOfType(lower->layout, LLVMGlobalGetValueType(pointer));
	shadow->sizes[at / WORD_BYTES] = llvm_u64(lower, nbytes);
	shadow->offsets[at / WORD_BYTES] = llvm_u64(lower, offset);
	shadow->has_offsets |= offset != 0;
}

static void note(struct shadow *shadow, LLVMValueRef constant, uint64_t at);

static void note_elements(
	struct shadow *shadow, LLVMValueRef constant, LLVMTypeRef type, uint64_t at)
{
	uint64_t nbytes = LLVMABISizeOfType(shadow->lower->layout, type);
	uint64_t count = LLVMGetArrayLength2(LLVMTypeOf(constant));
	for (uint64_t i = 0; i < count; i++)
		note(shadow, LLVMGetAggregateElement(constant, (unsigned)i), at + i * nbytes);
}

/* Recursive over the type of the table, which is as deep as its author wrote it. */
static void note(struct shadow *shadow, LLVMValueRef constant, uint64_t at)
{
	LLVMTypeRef type = LLVMTypeOf(constant);
	switch (LLVMGetTypeKind(type)) {
	case LLVMPointerTypeKind:
		note_pointer(shadow, constant, at);
		break;
	case LLVMArrayTypeKind:
		if (LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMIntegerTypeKind)
			note_elements(shadow, constant, LLVMGetElementType(type), at);
		break;
	case LLVMStructTypeKind:
		for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
			note(shadow, LLVMGetAggregateElement(constant, i),
				at + LLVMOffsetOfElement(shadow->lower->layout, type, i));
		break;
	default:
		break;
	}
}

/* ---- the tables beside it -------------------------------------------------------------------- */

static LLVMValueRef build_words(
	struct lower *lower, LLVMValueRef *words, size_t count, const char *name)
{
	LLVMValueRef values = LLVMConstArray2(lower->i64, words, count);
	LLVMValueRef global = LLVMAddGlobal(lower->module, LLVMTypeOf(values), name);
	LLVMSetInitializer(global, values);
	LLVMSetGlobalConstant(global, 1);
	LLVMSetLinkage(global, LLVMPrivateLinkage);
	return global;
}

static void read_table(struct shadow *shadow, struct lower *lower, LLVMValueRef table)
{
	LLVMValueRef initial = LLVMGetInitializer(table);
	uint64_t nbytes = LLVMABISizeOfType(lower->layout, LLVMTypeOf(initial));
	*shadow = (struct shadow){
		.lower = lower, .word_count = (nbytes + WORD_BYTES - 1) / WORD_BYTES};
	if (shadow->word_count > WORDS_MAX)
		return;
	shadow->sizes = pool_alloc(shadow->word_count * sizeof *shadow->sizes);
	shadow->offsets = pool_alloc(shadow->word_count * sizeof *shadow->offsets);
	for (size_t i = 0; i < shadow->word_count; i++)
		shadow->sizes[i] = shadow->offsets[i] = llvm_u64(lower, 0);
	note(shadow, initial, 0);
}

/*
 * Word number `index` of one of them, found by name: a table is read many times and shadowed once.
 */
static LLVMValueRef load_word(struct lower *lower, LLVMValueRef table, const char *suffix,
	LLVMValueRef *words, size_t count, LLVMValueRef index)
{
	const char *name = pool_format("%s.%s", LLVMGetValueName(table), suffix);
	LLVMValueRef global = LLVMGetNamedGlobal(lower->module, name);
	if (!global)
		global = build_words(lower, words, count, name);
	LLVMValueRef at = LLVMBuildGEP2(lower->builder, lower->i64, global, &index, 1, "");
	return LLVMBuildLoad2(lower->builder, lower->i64, at, "");
}

struct object table_object(struct tracer *tracer, LLVMValueRef load)
{
	struct lower *lower = tracer->lower;
	LLVMBuilderRef builder = lower->builder;
	LLVMValueRef table = table_of(LLVMGetOperand(load, 0));
	struct shadow shadow = {0};
	if (table)
		read_table(&shadow, lower, table);
	if (!shadow.sizes)
		return (struct object){.unknown = "a pointer that was kept in memory"};
	LLVMValueRef zero = llvm_u64(lower, 0);
	if (tracer->for_write)
		return (struct object){.size = zero, .offset = zero}; /* it points to constants */
	struct object place = object_of(tracer, LLVMGetOperand(load, 0));
	LLVMPositionBuilderBefore(
		builder, LLVMGetNextInstruction(load)); /* the load has been checked */
	LLVMValueRef index = LLVMBuildLShr(builder, place.offset, llvm_u64(lower, 3), "");
	LLVMValueRef rest = LLVMBuildAnd(builder, place.offset, llvm_u64(lower, 7), "");
	LLVMValueRef is_word = LLVMBuildICmp(builder, LLVMIntEQ, rest, zero, "");
	LLVMValueRef size =
		load_word(lower, table, "sizes", shadow.sizes, shadow.word_count, index);
	LLVMValueRef offset = shadow.has_offsets ? load_word(lower, table, "offsets",
							   shadow.offsets, shadow.word_count, index)
						 : zero;
	return (struct object){
		.size = LLVMBuildSelect(builder, is_word, size, zero, ""), .offset = offset};
}
