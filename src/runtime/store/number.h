/* Values as nodes and rows hold them: bits, of an attribute's type. */
#ifndef TRAMMEL_RUNTIME_STORE_NUMBER_H
#define TRAMMEL_RUNTIME_STORE_NUMBER_H

#define TRM_IN_LIBRARY_
#include "runtime/store/state.h"
#include "trammel/annotate.h"

#include <string.h>

/* Tells whether values of the type are texts, whose bits are the place of the text. */
static inline bool number_is_text(uint32_t type)
{
	return type == TRM_TYPE_STRING || type == TRM_TYPE_BLOB;
}

/* Converts bits to a double. */
static inline double number_double(uint64_t bits)
{
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

/* Converts a double to bits. */
static inline uint64_t number_bits(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

/* Converts an integer to bits of the type `type`; returns false if the type does not
 * hold it. */
static inline bool number_of_whole(uint32_t type, const struct trm_value *value,
				   uint64_t *ret_bits)
{
	bool is_signed = value->type == TRM_TYPE_INT;

	*ret_bits = value->as.u;
	if (type == TRM_TYPE_DOUBLE)
		*ret_bits = number_bits(is_signed ? (double)value->as.i
						  : (double)value->as.u);
	else if (type == TRM_TYPE_BOOL)
		*ret_bits = value->as.u != 0;
	else
		return (type == TRM_TYPE_INT) == is_signed || value->as.i >= 0;
	return true;
}

/* Converts a double to bits of the type; the part after its point is left out. Returns
 * false if the type does not hold it. */
static inline bool number_of_double(uint32_t type, double value, uint64_t *ret_bits)
{
	if (type == TRM_TYPE_DOUBLE)
		*ret_bits = number_bits(value);
	else if (type == TRM_TYPE_BOOL)
		*ret_bits = value != 0;
	else if (type == TRM_TYPE_INT && value >= -0x1p63 && value < 0x1p63)
		*ret_bits = (uint64_t)(int64_t)value;
	else if (type != TRM_TYPE_INT && value > -1 && value < 0x1p64)
		*ret_bits = (uint64_t)value;
	else
		return false;
	return true;
}

/* Converts a value to bits of the type `type`; returns false if the type does not hold
 * it. */
static inline bool number_convert(uint32_t type, const struct trm_value *value,
				  uint64_t *ret_bits)
{
	return value->type == TRM_TYPE_DOUBLE
		       ? number_of_double(type, value->as.d, ret_bits)
		       : number_of_whole(type, value, ret_bits);
}

/* Tells whether `a` is less than `b`; both are bits of the type. */
static inline bool number_is_less(uint32_t type, uint64_t a, uint64_t b)
{
	if (type == TRM_TYPE_INT)
		return (int64_t)a < (int64_t)b;
	if (type != TRM_TYPE_DOUBLE)
		return a < b;
	return number_double(a) < number_double(b);
}

/* Tells whether bits of the type are a NaN. */
static inline bool number_is_nan(uint32_t type, uint64_t bits)
{
	return type == TRM_TYPE_DOUBLE && number_double(bits) != number_double(bits);
}

/* Returns the smaller, or the larger, of two values; a NaN only if both are NaN, as
 * minNum and maxNum of IEEE 754-2008: it stands for a missing number. */
static inline uint64_t number_least(uint32_t type, uint64_t a, uint64_t b)
{
	return number_is_less(type, b, a) || number_is_nan(type, a) ? b : a;
}

static inline uint64_t number_most(uint32_t type, uint64_t a, uint64_t b)
{
	return number_is_less(type, a, b) || number_is_nan(type, a) ? b : a;
}

/* Notes that a sum did not fit its bits, which is reported with the results. */
__attribute__((cold)) void number_overflow(void);

/* Returns the sum of two values of the type, as bits; a sum that does not fit is noted.
 * */
static inline uint64_t number_add(uint32_t type, uint64_t a, uint64_t b)
{
	int64_t sum;
	bool over;

	if (type == TRM_TYPE_DOUBLE)
		return number_bits(number_double(a) + number_double(b));
	over = type == TRM_TYPE_INT ? __builtin_add_overflow((int64_t)a, (int64_t)b, &sum)
				    : a + b < a;
	if (__builtin_expect(over, 0))
		number_overflow();
	return a + b;
}

#endif
