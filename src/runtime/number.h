/* Values as nodes and rows hold them: bits, of an attribute's type. */
#ifndef TRAMMEL_RUNTIME_NUMBER_H
#define TRAMMEL_RUNTIME_NUMBER_H

#include "trammel/annotate.h"

#include <string.h>

static inline double number_double(uint64_t bits)
{
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

static inline uint64_t number_bits(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

static inline bool number_is_less(uint32_t type, uint64_t a, uint64_t b)
{
	if (type == TRM_TYPE_INT)
		return (int64_t)a < (int64_t)b;
	if (type != TRM_TYPE_DOUBLE)
		return a < b;
	return number_double(a) < number_double(b);
}

static inline uint64_t number_add(uint32_t type, uint64_t a, uint64_t b)
{
	return type == TRM_TYPE_DOUBLE ? number_bits(number_double(a) + number_double(b))
				       : a + b;
}

#endif
