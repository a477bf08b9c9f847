/* A value of any type, of the compatible interface: see caliper/cali.h. */
#ifndef CALI_COMMON_CALI_VARIANT_H
#define CALI_COMMON_CALI_VARIANT_H

#include "cali_types.h"

#include <stdbool.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Texts and bytes are where they were: the variant does not own them. */
typedef struct {
	/* Bits 0 to 7: the type; bits 32 to 63: bytes of a text or a blob. */
	uint64_t type_and_size;
	union {
		uint64_t v_uint;
		int64_t v_int;
		double v_double;
		bool v_bool;
		cali_attr_type v_type;
		void *unmanaged_ptr;
		const void *unmanaged_const_ptr;
	} value;
} cali_variant_t;

#define CALI_VARIANT_TYPE_MASK 0xFF
#define CALI_VARIANT_HASH_MASK 0xFFFFFF00 /* 0 here: values have no hash */

/* Of `size` bytes at `data`, as the type needs them. */
cali_variant_t cali_make_variant(cali_attr_type type, const void *data, size_t size);
cali_attr_type cali_variant_get_type(cali_variant_t value);
size_t cali_variant_get_size(cali_variant_t value);
/* Where its bytes are. */
const void *cali_variant_get_data(const cali_variant_t *value);

/* As another type; `ok` (may be NULL): whether that has a meaning. */
int cali_variant_to_int(cali_variant_t value, bool *ok);
int64_t cali_variant_to_int64(cali_variant_t value, bool *ok);
uint64_t cali_variant_to_uint(cali_variant_t value, bool *ok);
double cali_variant_to_double(cali_variant_t value, bool *ok);
cali_attr_type cali_variant_to_type(cali_variant_t value, bool *ok);
bool cali_variant_to_bool(cali_variant_t value, bool *ok);

/* Less than, equal to, or greater than 0; values of different types by their types. */
int cali_variant_compare(cali_variant_t a, cali_variant_t b);
bool cali_variant_eq(cali_variant_t a, cali_variant_t b);

/* Into at most 22 bytes; a text's place, not the text. Returns how many they are. */
size_t cali_variant_pack(cali_variant_t value, unsigned char *bytes);
/* Adds how many bytes were read to `read`. */
cali_variant_t cali_variant_unpack(const unsigned char *bytes, size_t *read, bool *ok);

static inline cali_variant_t cali_make_empty_variant(void)
{
	cali_variant_t value;

	value.type_and_size = CALI_TYPE_INV;
	value.value.v_uint = 0;
	return value;
}

static inline bool cali_variant_is_empty(cali_variant_t value)
{
	return value.type_and_size == CALI_TYPE_INV;
}

static inline cali_variant_t cali_make_variant_from_uint(uint64_t number)
{
	cali_variant_t value;

	value.type_and_size = CALI_TYPE_UINT;
	value.value.v_uint = number;
	return value;
}

static inline cali_variant_t cali_make_variant_from_int64(int64_t number)
{
	cali_variant_t value;

	value.type_and_size = CALI_TYPE_INT;
	value.value.v_int = number;
	return value;
}

static inline cali_variant_t cali_make_variant_from_int(int number)
{
	return cali_make_variant_from_int64(number);
}

static inline cali_variant_t cali_make_variant_from_bool(bool truth)
{
	cali_variant_t value;

	value.type_and_size = CALI_TYPE_BOOL;
	value.value.v_uint = truth;
	return value;
}

static inline cali_variant_t cali_make_variant_from_double(double number)
{
	cali_variant_t value;

	value.type_and_size = CALI_TYPE_DOUBLE;
	value.value.v_double = number;
	return value;
}

static inline cali_variant_t cali_make_variant_from_type(cali_attr_type type)
{
	cali_variant_t value;

	value.type_and_size = CALI_TYPE_TYPE;
	value.value.v_uint = (uint64_t)type;
	return value;
}

static inline cali_variant_t cali_make_variant_from_ptr(void *place)
{
	cali_variant_t value;

	value.type_and_size = CALI_TYPE_PTR;
	value.value.unmanaged_ptr = place;
	return value;
}

static inline cali_variant_t cali_make_variant_from_string(const char *text)
{
	return cali_make_variant(CALI_TYPE_STRING, text, strlen(text));
}

/* NULL: it is no pointer. */
static inline void *cali_variant_get_ptr(cali_variant_t value)
{
	return value.type_and_size == CALI_TYPE_PTR ? value.value.unmanaged_ptr : NULL;
}

#ifdef __cplusplus
}
#endif

#endif
