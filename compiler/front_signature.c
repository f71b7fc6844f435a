#include <string.h>

#include "compiler/front_signature.h"
#include "compiler/front_text.h"
#include "compiler/front_types.h"

static void refuse(struct refusals *refusals, CXCursor at, const char *reason, const char *rewrite)
{
	struct refusal refusal = {.reason = {front_place_of(at), reason}, .rewrite = rewrite};
	front_refuse(refusals, &refusal);
}

/* A parameter that is wrong, and how to write it instead. */
struct wrong {
	const char *reason;
	const char *rewrite;
};

static struct wrong judge_pointer(CXType type, const char *name)
{
	CXType pointee = front_pointee(type);
	if (front_pointee_space(type) == FAR_SPACE)
		return (struct wrong){0};
	if (front_is_function(pointee) || front_is_function(type))
		return (struct wrong){pool_format("parameter '%s' is a function pointer", name),
			"pass an integer and choose with switch: code of the host does not exist on the device"};
	return (struct wrong){
		pool_format(
			"parameter '%s' is a private pointer: the host's memory is not the device's",
			name),
		pool_format("allocate with nmem_alloc() on the host and declare it `%s`",
			front_far_pointer_to(pointee))};
}

static struct wrong judge_record(CXType type, const char *name)
{
	long long bytes = clang_Type_getSizeOf(type);
	if (bytes > NK_STRUCT_PARAM_MAX)
		return (struct wrong){
			pool_format(
				"parameter '%s' is a struct of %lld bytes; %d are the most that is passed "
				"by value",
				name, bytes, NK_STRUCT_PARAM_MAX),
			"put it into far memory and pass a pointer to it (const far struct T *), or send it "
			"through a pipe"};
	if (bytes < 1)
		return (struct wrong){
			pool_format("parameter '%s' is a struct without members", name),
			"leave it out"};
	if (front_holds_private_pointer(type))
		return (struct wrong){
			pool_format(
				"parameter '%s' is a struct with a private pointer in it: the host's "
				"memory is not the device's",
				name),
			"declare the member `far T *`, and pass that pointer as a parameter of its own, too, so "
			"that it is granted"};
	return (struct wrong){0};
}

static struct wrong judge_other(CXType type, const char *name)
{
	return (struct wrong){
		pool_format(
			"parameter '%s' has type '%s'; a process is given integers of at most 64 bits, "
			"float, double, far pointers and small structs",
			name, front_type(type)),
		clang_getCanonicalType(type).kind == CXType_LongDouble
			? "use double"
			: "pass it in parts, or as a struct of parts"};
}

static enum nimg_param_kind kind_of(CXType type)
{
	CXType canonical = clang_getCanonicalType(type);
	if (front_is_integer(type))
		return NIMG_INT;
	if (canonical.kind == CXType_Float || canonical.kind == CXType_Double)
		return NIMG_FLOAT;
	if (front_pointee(type).kind != CXType_Invalid || front_is_function(type))
		return NIMG_FAR;
	return canonical.kind == CXType_Record ? NIMG_STRUCT : NIMG_PARAM_KIND_COUNT;
}

static struct wrong judge_param(CXType type, const char *name)
{
	switch (kind_of(type)) {
	case NIMG_INT:
	case NIMG_FLOAT:
		return (struct wrong){0};
	case NIMG_FAR:
		return judge_pointer(type, name);
	case NIMG_STRUCT:
		return judge_record(type, name);
	default:
		return judge_other(type, name);
	}
}

/* A parameter's type as it stands in the source: its text without its name. */
static char *written_type(CXCursor cursor)
{
	struct place begin = front_begin_of(cursor), name = front_place_of(cursor),
		     end = front_end_of(cursor);
	size_t length = strlen(front_name(cursor)), text_length = 0;
	const char *text = clang_getFileContents(
		clang_Cursor_getTranslationUnit(cursor), front_file_of(cursor), &text_length);
	if (!text || begin.offset > name.offset || name.offset + length > end.offset ||
		end.offset > text_length)
		return front_type(clang_getCursorType(cursor));
	return front_single_spaced(
		pool_format("%.*s%.*s", (int)(name.offset - begin.offset), text + begin.offset,
			(int)(end.offset - name.offset - length), text + name.offset + length));
}

static void read_param(
	CXCursor function, unsigned index, struct kernel *kernel, struct refusals *refusals)
{
	CXCursor cursor = clang_Cursor_getArgument(function, index);
	CXType type = clang_getCursorType(cursor);
	struct param *param = &kernel->params[index];
	param->name = front_name(cursor);
	/* By this name the host knows that it holds 0 or 1, however it is written in the source. */
	param->type =
		clang_getCanonicalType(type).kind == CXType_Bool ? "bool" : written_type(cursor);
	param->kind = kind_of(type);
	param->bytes = param->kind == NIMG_FAR ? 8 : (unsigned)clang_Type_getSizeOf(type);
	param->is_signed = param->kind == NIMG_INT && front_is_signed(type);
	param->is_const = param->kind == NIMG_FAR && front_pointee_is_const(type);
	struct wrong wrong =
		judge_param(type, *param->name ? param->name : pool_format("%u", index + 1));
	if (wrong.reason)
		refuse(refusals, cursor, wrong.reason, wrong.rewrite);
}

static void read_params(CXCursor function, struct kernel *kernel, struct refusals *refusals)
{
	int count = clang_Cursor_getNumArguments(function);
	if (count > NK_PARAMS_MAX) {
		refuse(refusals, function,
			pool_format("kernel '%s' has %d parameters; a process is given at most %d",
				kernel->name, count, NK_PARAMS_MAX),
			"put some of them into a struct of at most 32 bytes, into far memory, or send them "
			"through a pipe");
		count = NK_PARAMS_MAX;
	}
	for (kernel->param_count = 0; kernel->param_count < (unsigned)count; kernel->param_count++)
		read_param(function, kernel->param_count, kernel, refusals);
}

static void judge_result(CXCursor function, const struct kernel *kernel, struct refusals *refusals)
{
	CXType type = clang_getCursorResultType(function);
	if (front_is_integer(type) && front_is_signed(type) && clang_Type_getSizeOf(type) == 8)
		return;
	refuse(refusals, function,
		pool_format(
			"kernel '%s' returns '%s' instead of int64_t, the exit code of its process",
			kernel->name, front_type(type)),
		pool_format(
			"NPROC_KERNEL int64_t %s(...), and `return 0;` where there is nothing to say",
			kernel->name));
}

static void judge_name(CXCursor function, const struct kernel *kernel, struct refusals *refusals)
{
	if (strlen(kernel->name) > NK_NAME_MAX)
		refuse(refusals, function,
			pool_format(
				"the name of a kernel has at most %d characters, this one has %zu",
				NK_NAME_MAX, strlen(kernel->name)),
			"choose a shorter name");
	else if (clang_Cursor_isFunctionInlined(function) &&
		 clang_Cursor_getStorageClass(function) != CX_SC_Static)
		refuse(refusals, function,
			pool_format("kernel '%s' is inline: C keeps no code of its own for it",
				kernel->name),
			"leave out `inline`");
	else if (strcmp(front_take(clang_Cursor_getMangling(function)), kernel->name))
		refuse(refusals, function,
			pool_format("kernel '%s' has another name for the linker", kernel->name),
			"leave out the asm label or attribute that renames it");
}

void front_signature(
	const struct function *function, struct kernel *kernel, struct refusals *refusals)
{
	struct place place = front_place_of(function->cursor);
	*kernel = (struct kernel){
		.name = front_name(function->cursor),
		.file = pool_copy(place.file),
		.line = place.line,
	};
	judge_name(function->cursor, kernel, refusals);
	judge_result(function->cursor, kernel, refusals);
	read_params(function->cursor, kernel, refusals);
}
