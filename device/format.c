#include "device/format.h"

#include <stdbool.h>
#include <stddef.h>

struct output {
	char *text;
	unsigned length, capacity;
};

struct arguments {
	const uint64_t *word;
	uint64_t left;
};

static void put(struct output *out, char c)
{
	if (out->length < out->capacity)
		out->text[out->length++] = c;
}

static void put_many(struct output *out, char c, int count)
{
	while (count-- > 0)
		put(out, c);
}

static uint64_t next_argument(struct arguments *args)
{
	if (!args->left)
		return 0;
	args->left--;
	return *args->word++;
}

/* Sign or prefix, then the body, padded to the width. */
static void put_padded(struct output *out, const struct ndev_conversion *conversion,
	const char *prefix, const char *body, unsigned length, bool zeros_allowed)
{
	unsigned prefix_length = 0;
	int padding;

	while (prefix[prefix_length])
		prefix_length++;
	padding = conversion->width - (int)(prefix_length + length);
	if (!conversion->minus && !(conversion->zero && zeros_allowed))
		put_many(out, ' ', padding);
	for (unsigned i = 0; i < prefix_length; i++)
		put(out, prefix[i]);
	if (!conversion->minus && conversion->zero && zeros_allowed)
		put_many(out, '0', padding);
	for (unsigned i = 0; i < length; i++)
		put(out, body[i]);
	if (conversion->minus)
		put_many(out, ' ', padding);
}

static const char *sign_of(const struct ndev_conversion *conversion, bool negative)
{
	return negative ? "-" : conversion->plus ? "+" : conversion->space ? " " : "";
}

/* The digits, at least `precision` of them, written before `end`. */
static char *digits_before(char *end, uint64_t value, unsigned base, bool capital, int precision)
{
	const char *letters = capital ? "0123456789ABCDEF" : "0123456789abcdef";

	for (; value || precision > 0; value /= base, precision--)
		*--end = letters[value % base];
	return end;
}

static uint64_t shorten(uint64_t value, unsigned nbytes, bool is_signed)
{
	unsigned unused = 64 - nbytes * 8;

	value <<= unused;
	return is_signed ? (uint64_t)((int64_t)value >> unused) : value >> unused;
}

static void put_integer(
	struct output *out, const struct ndev_conversion *conversion, uint64_t value)
{
	char buffer[128];
	char *end = buffer + sizeof(buffer);
	bool is_signed = conversion->kind == 'd';
	bool is_hex = conversion->kind == 'x' || conversion->kind == 'X' || conversion->kind == 'p';
	int precision = conversion->precision < 0 ? 1 : conversion->precision;
	const char *prefix = "";
	char *start;

	if (precision > 100)
		precision = 100;
	value = shorten(value, (unsigned)conversion->length, is_signed);
	if (is_signed)
		prefix = sign_of(conversion, (int64_t)value < 0);
	if (is_signed && (int64_t)value < 0)
		value = 0 - value;
	if (is_hex && ((conversion->alternate && value) || conversion->kind == 'p'))
		prefix = conversion->kind == 'X' ? "0X" : "0x";
	start = digits_before(end, value, is_hex ? 16 : 10, conversion->kind == 'X', precision);
	put_padded(
		out, conversion, prefix, start, (unsigned)(end - start), conversion->precision < 0);
}

static void put_string(
	struct output *out, const struct ndev_conversion *conversion, const char *string)
{
	unsigned length = 0;

	if (!string)
		string = "(null)";
	while ((conversion->precision < 0 || (int)length < conversion->precision) && string[length])
		length++;
	put_padded(out, conversion, "", string, length, false);
}

static void put_double(struct output *out, const struct ndev_conversion *conversion, uint64_t bits)
{
	char buffer[NDEV_DOUBLE_CHARS];
	union {
		uint64_t bits;
		double value;
	} number = {.bits = bits & ~(1ull << 63)};
	bool is_finite = (bits >> 52 & 0x7ff) != 0x7ff;
	unsigned length = ndev_format_double(buffer, number.value, conversion);

	put_padded(out, conversion, sign_of(conversion, bits >> 63), buffer, length, is_finite);
}

static const char *parse_flags(const char *format, struct ndev_conversion *conversion)
{
	for (;; format++) {
		if (*format == '-')
			conversion->minus = 1;
		else if (*format == '+')
			conversion->plus = 1;
		else if (*format == ' ')
			conversion->space = 1;
		else if (*format == '0')
			conversion->zero = 1;
		else if (*format == '#')
			conversion->alternate = 1;
		else
			return format;
	}
}

/* A kernel may ask for any number; while its core pads, nothing else runs there. */
static int at_most_widest(int64_t number)
{
	return (int)(number > NDEV_WIDTH_MAX    ? NDEV_WIDTH_MAX
		     : number < -NDEV_WIDTH_MAX ? -NDEV_WIDTH_MAX
						: number);
}

static const char *parse_number(const char *format, struct arguments *args, int *number)
{
	if (*format == '*') {
		*number = at_most_widest((int)next_argument(args));
		return format + 1;
	}
	for (*number = 0; *format >= '0' && *format <= '9'; format++)
		*number = at_most_widest(*number * 10 + (*format - '0'));
	return format;
}

static const char *parse_length(const char *format, struct ndev_conversion *conversion)
{
	conversion->length = 4;
	for (;; format++) {
		if (*format == 'h')
			conversion->length = conversion->length == 2 ? 1 : 2;
		else if (*format == 'l' || *format == 'z' || *format == 'j' || *format == 't')
			conversion->length = 8;
		else
			return format;
	}
}

static const char *parse(
	const char *format, struct arguments *args, struct ndev_conversion *conversion)
{
	*conversion = (struct ndev_conversion){.precision = -1};
	format = parse_flags(format, conversion);
	format = parse_number(format, args, &conversion->width);
	if (conversion->width < 0) {
		conversion->minus = 1;
		conversion->width = -conversion->width;
	}
	if (*format == '.') {
		format = parse_number(format + 1, args, &conversion->precision);
		if (conversion->precision < 0)
			conversion->precision = -1;
	}
	format = parse_length(format, conversion);
	conversion->kind = *format == 'i' ? 'd' : *format;
	if (conversion->kind == 'p')
		conversion->length = 8;
	return *format ? format + 1 : format;
}

static void put_conversion(
	struct output *out, const struct ndev_conversion *conversion, struct arguments *args)
{
	char c;

	switch (conversion->kind) {
	case 'd':
	case 'u':
	case 'x':
	case 'X':
	case 'p':
		put_integer(out, conversion, next_argument(args));
		break;
	case 'c':
		c = (char)next_argument(args);
		put_padded(out, conversion, "", &c, 1, false);
		break;
	case 's':
		put_string(out, conversion, (const char *)(uintptr_t)next_argument(args));
		break;
	case 'f':
	case 'F':
	case 'e':
	case 'E':
	case 'g':
	case 'G':
		put_double(out, conversion, next_argument(args));
		break;
	default: /* %%, and what the compiler has refused before */
		put(out, '%');
		break;
	}
}

unsigned ndev_format(
	char *text, unsigned capacity, const char *format, const uint64_t *args, uint64_t count)
{
	struct output out = {.text = text, .capacity = capacity};
	struct arguments arguments = {.word = args, .left = count};
	struct ndev_conversion conversion;

	while (*format && out.length < capacity) {
		if (*format != '%') {
			put(&out, *format++);
			continue;
		}
		format = parse(format + 1, &arguments, &conversion);
		put_conversion(&out, &conversion, &arguments);
	}
	return out.length;
}
