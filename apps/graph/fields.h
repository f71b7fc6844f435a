/* fields.h - a line of text as fields, and fields as numbers. */
#ifndef NEARSIDE_GRAPH_FIELDS_H
#define NEARSIDE_GRAPH_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

enum {
	FIELDS_MAX = 8
};

/* What separates fields, and may stand before the first. */
#define FIELD_BLANKS " \t\v\f"

/*
 * Cuts the line at blanks, in place. Returns how many fields there are; at most FIELDS_MAX are
 * stored, and a line with more counts as FIELDS_MAX + 1.
 */
int fields_split(char *line, char *fields[FIELDS_MAX]);

/* Digits only, below 2^64. */
bool field_unsigned(const char *text, uint64_t *value);

/* An integer of any length with an optional sign. */
bool field_is_integer(const char *text);

/* A decimal number: sign, digits, point, exponent. */
bool field_is_number(const char *text);

#endif
