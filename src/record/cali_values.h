/* Values and properties in Caliper's format. */
#ifndef TRAMMEL_RECORD_CALI_VALUES_H
#define TRAMMEL_RECORD_CALI_VALUES_H

#include "record/cali.h"
#include "record/record.h"

/* Converts bits of enum cali_property to enum record_property; record.h has the
 * reverse. */
uint32_t cali_properties_read(uint64_t properties);

/* The name of a type, which is also the built-in node with its number. */
const char *cali_type_name(enum record_type type);
unsigned cali_type_node(enum record_type type);

/* Finds the type with this name; false if there is none. */
bool cali_type_find(const char *name, size_t size, enum record_type *ret_type);

/* Reads a number that is followed by `=`, `,` or a new line, and steps over it. False
 * if it is not a number. Here and below the text at `at` must end with a new line. */
bool cali_read_long_uint(const char **at, uint64_t *ret_number);
static inline bool cali_read_uint(const char **at, uint64_t *ret_number)
{
	const char *c = *at;
	uint64_t number = 0;
	uint8_t digit;

	for (; (digit = (uint8_t)(*c - '0')) <= 9; c++)
		number = number * 10 + digit;
	/* 19 digits fit. */
	if (c - *at > 19 || c == *at || !cali_is_end(*c))
		return cali_read_long_uint(at, ret_number);
	*at = c;
	*ret_number = number;
	return true;
}

/* Reads a value and steps over it. Bytes are appended to `bytes`, followed by a 0, and
 * `ret_value->u` is their offset there. `ret_empty`: the value is missing, though the
 * type needs one. False if it is not a value of the type. */
bool cali_read_value(const char **at, enum record_type type, struct text *bytes,
		     struct record_value *ret_value, bool *ret_empty);

/* Goes behind a value. */
const char *cali_skip_value(const char *at);

/* Adds a value in the form it has in a line. */
void cali_add_value(struct text *text, struct record_value value);
void cali_add_number(struct text *text, uint64_t number);

/* Converts bits of enum record_property to enum cali_property. */
uint32_t cali_properties_write(uint32_t properties);

#endif
