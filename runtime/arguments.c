#include "runtime/arguments.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- messages -------------------------------------------------------------------------------- */

static const char *string(const struct arguments *arguments, uint32_t offset)
{
	return nhost_image_string(arguments->image, offset);
}

/* "count(const far uint64_t *keys, uint64_t n)" */
static const char *signature(const struct arguments *arguments, char *text, size_t nbytes)
{
	const struct nimg_kernel *kernel = arguments->kernel;
	const struct nimg_param *params = nhost_image_params(arguments->image, kernel);
	size_t used = (size_t)snprintf(text, nbytes, "%s(", string(arguments, kernel->name));

	for (uint32_t i = 0; i < kernel->param_count && used < nbytes; i++)
		used += (size_t)snprintf(text + used, nbytes - used, "%s%s %s", i ? ", " : "",
			string(arguments, params[i].type), string(arguments, params[i].name));
	if (used < nbytes)
		snprintf(text + used, nbytes - used, "%s)", kernel->param_count ? "" : "void");
	return text;
}

static const char *kind_name(const struct nproc_arg *arg)
{
	switch (arg->kind) {
	case NPROC_ARG_INT:
		return "an integer";
	case NPROC_ARG_FLOAT:
		return "a float";
	case NPROC_ARG_DOUBLE:
		return "a double";
	case NPROC_ARG_POINTER:
		return "a pointer";
	case NPROC_ARG_STRUCT:
		return "a struct";
	default:
		return "of an unknown kind";
	}
}

static int fail_kind(const struct arguments *arguments, size_t index, const struct nproc_arg *arg,
	struct nhost_error *error)
{
	char text[320];

	return nhost_fail(error, EINVAL, "argument %zu is %s, but the kernel is %s", index + 1,
		kind_name(arg), signature(arguments, text, sizeof(text)));
}

static int fail_count(const struct arguments *arguments, size_t count, struct nhost_error *error)
{
	char text[320];

	return nhost_fail(error, EINVAL, "%zu arguments were given, but the kernel is %s", count,
		signature(arguments, text, sizeof(text)));
}

/* ---- integers -------------------------------------------------------------------------------- */

static bool is_negative(const struct nproc_arg *arg)
{
	return arg->is_signed && (int64_t)arg->value.integer < 0;
}

/*
 * _Bool is 1 byte, not signed, and holds 0 or 1; its name, which nprocc sees to, tells it from
 * uint8_t.
 */
static uint64_t largest(const struct nimg_param *param, bool is_bool)
{
	unsigned bits = param->bytes * 8u - param->is_signed;

	return is_bool ? 1 : UINT64_MAX >> (64 - bits);
}

static bool fits(const struct nproc_arg *arg, const struct nimg_param *param, uint64_t max)
{
	if (!is_negative(arg))
		return arg->value.integer <= max;
	return param->is_signed && (int64_t)arg->value.integer >= -(int64_t)max - 1;
}

static int fail_range(const struct arguments *arguments, size_t index, const struct nproc_arg *arg,
	struct nhost_error *error)
{
	const struct nimg_param *param =
		&nhost_image_params(arguments->image, arguments->kernel)[index];
	const char *type = string(arguments, param->type), *name = string(arguments, param->name);

	if (is_negative(arg))
		return nhost_fail(error, ERANGE, "argument %zu, %" PRId64 ", does not fit %s %s",
			index + 1, (int64_t)arg->value.integer, type, name);
	return nhost_fail(error, ERANGE, "argument %zu, %" PRIu64 ", does not fit %s %s", index + 1,
		arg->value.integer, type, name);
}

static bool is_bool(const struct arguments *arguments, const struct nimg_param *param)
{
	const char *type = string(arguments, param->type);

	return param->bytes == 1 && (!strcmp(type, "_Bool") || !strcmp(type, "bool"));
}

static int convert_integer(struct arguments *arguments, size_t index, const struct nproc_arg *arg,
	struct nhost_error *error)
{
	const struct nimg_param *param =
		&nhost_image_params(arguments->image, arguments->kernel)[index];

	if (arg->kind != NPROC_ARG_INT)
		return fail_kind(arguments, index, arg, error);
	if (!fits(arg, param, largest(param, is_bool(arguments, param))))
		return fail_range(arguments, index, arg, error);
	arguments->words[arguments->word_count++] = arg->value.integer;
	return 0;
}

/* ---- the other kinds ------------------------------------------------------------------------- */

/* Between float and double as C converts them. */
static int convert_float(struct arguments *arguments, size_t index, const struct nproc_arg *arg,
	struct nhost_error *error)
{
	const struct nimg_param *param =
		&nhost_image_params(arguments->image, arguments->kernel)[index];
	uint64_t *word = &arguments->words[arguments->word_count++];
	double value;
	float single;

	if (arg->kind == NPROC_ARG_FLOAT)
		value = arg->value.f32;
	else if (arg->kind == NPROC_ARG_DOUBLE)
		value = arg->value.f64;
	else
		return fail_kind(arguments, index, arg, error);
	single = arg->kind == NPROC_ARG_FLOAT ? arg->value.f32 : (float)value;
	*word = 0;
	if (param->bytes == sizeof(single))
		memcpy(word, &single, sizeof(single));
	else
		memcpy(word, &value, sizeof(value));
	return 0;
}

static int convert_struct(struct arguments *arguments, size_t index, const struct nproc_arg *arg,
	struct nhost_error *error)
{
	const struct nimg_param *param =
		&nhost_image_params(arguments->image, arguments->kernel)[index];
	unsigned count = (param->bytes + 7u) / 8;

	if (arg->kind != NPROC_ARG_STRUCT || !arg->value.pointer)
		return fail_kind(arguments, index, arg, error);
	if (arg->nbytes != param->bytes)
		return nhost_fail(error, EINVAL,
			"argument %zu is a struct of %zu bytes, %s %s has %d", index + 1,
			arg->nbytes, string(arguments, param->type), string(arguments, param->name),
			param->bytes);
	memset(&arguments->words[arguments->word_count], 0, count * sizeof(uint64_t));
	memcpy(&arguments->words[arguments->word_count], arg->value.pointer, arg->nbytes);
	arguments->word_count += count;
	return 0;
}

static int convert_pointer(struct arguments *arguments, size_t index, const struct nproc_arg *arg,
	struct nhost_error *error)
{
	const struct nimg_param *param =
		&nhost_image_params(arguments->image, arguments->kernel)[index];
	unsigned grant = arguments->grant_count++;

	if (arg->kind != NPROC_ARG_POINTER)
		return fail_kind(arguments, index, arg, error);
	arguments->pointers[grant] = arg->value.pointer;
	arguments->grants[grant].is_writable = !param->is_const;
	arguments->words[arguments->word_count++] = (uintptr_t)arg->value.pointer;
	return 0;
}

typedef int convert_fn(struct arguments *arguments, size_t index, const struct nproc_arg *arg,
	struct nhost_error *error);

static convert_fn *const convert[NIMG_PARAM_KIND_COUNT] = {
	[NIMG_INT] = convert_integer,
	[NIMG_FLOAT] = convert_float,
	[NIMG_FAR] = convert_pointer,
	[NIMG_STRUCT] = convert_struct,
};

int arguments_convert(struct arguments *arguments, size_t count, const struct nproc_arg *args,
	struct nhost_error *error)
{
	const struct nimg_param *params = nhost_image_params(arguments->image, arguments->kernel);
	int result = 0;

	arguments->word_count = 0;
	arguments->grant_count = 0;
	if (count != arguments->kernel->param_count)
		return fail_count(arguments, count, error);
	for (size_t i = 0; i < count && !result; i++)
		result = convert[params[i].kind](arguments, i, &args[i], error);
	return result;
}

int arguments_grant(
	struct arguments *arguments, const struct far_memory *far, struct nhost_error *error)
{
	for (unsigned i = 0; i < arguments->grant_count; i++) {
		const void *pointer = arguments->pointers[i];
		struct far_extent *extent = pointer ? far_find(far, (uintptr_t)pointer) : NULL;

		if (pointer && !extent)
			return nhost_fail(error, EFAULT,
				"far pointer %u (%p) of kernel %s is in no allocation: far memory comes "
				"from nmem_alloc() or an arena",
				i + 1, pointer, string(arguments, arguments->kernel->name));
		arguments->grants[i].extent = extent;
	}
	return 0;
}
