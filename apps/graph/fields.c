#include "apps/graph/fields.h"

#include <stddef.h>
#include <string.h>

static const char digits[] = "0123456789";

int fields_split(char *line, char *fields[FIELDS_MAX])
{
	int count = 0;

	for (line += strspn(line, FIELD_BLANKS); *line; line += strspn(line, FIELD_BLANKS)) {
		if (count == FIELDS_MAX)
			return FIELDS_MAX + 1;
		fields[count++] = line;
		line += strcspn(line, FIELD_BLANKS);
		if (*line)
			*line++ = 0;
	}
	return count;
}

bool field_unsigned(const char *text, uint64_t *value)
{
	*value = 0;
	if (!*text)
		return false;
	for (; *text >= '0' && *text <= '9'; text++) {
		if (__builtin_mul_overflow(*value, 10, value) ||
			__builtin_add_overflow(*value, (uint64_t)(*text - '0'), value))
			return false;
	}
	return *text == 0;
}

/* Past a sign, if there is one. */
static const char *past_sign(const char *text)
{
	return text + (*text == '-' || *text == '+');
}

bool field_is_integer(const char *text)
{
	size_t length = strspn(past_sign(text), digits);

	return length > 0 && past_sign(text)[length] == 0;
}

bool field_is_number(const char *text)
{
	size_t whole, fraction = 0;

	text = past_sign(text);
	whole = strspn(text, digits);
	text += whole;
	if (*text == '.') {
		fraction = strspn(++text, digits);
		text += fraction;
	}
	if (whole + fraction == 0)
		return false;
	if (*text == 'e' || *text == 'E')
		return field_is_integer(text + 1);
	return *text == 0;
}
