/*
 * Functions of caliper/common/cali_variant.h that are inline there, for programs that
 * were built with the peer's header, or that find them by name.
 */
#include <stddef.h>
#include <stdint.h>

/* The header's own have other names here. */
#define cali_make_empty_variant       inline_empty
#define cali_variant_is_empty         inline_is_empty
#define cali_make_variant_from_uint   inline_uint
#define cali_make_variant_from_int64  inline_int64
#define cali_make_variant_from_int    inline_int
#define cali_make_variant_from_bool   inline_bool
#define cali_make_variant_from_double inline_double
#define cali_make_variant_from_type   inline_type
#define cali_make_variant_from_ptr    inline_ptr
#define cali_make_variant_from_string inline_string
#define cali_variant_get_ptr          inline_get_ptr
#include "caliper/common/cali_variant.h"
#undef cali_make_empty_variant
#undef cali_variant_is_empty
#undef cali_make_variant_from_uint
#undef cali_make_variant_from_int64
#undef cali_make_variant_from_int
#undef cali_make_variant_from_bool
#undef cali_make_variant_from_double
#undef cali_make_variant_from_type
#undef cali_make_variant_from_ptr
#undef cali_make_variant_from_string
#undef cali_variant_get_ptr

#define EXPORT(result, name, own, type)                                                  \
	__attribute__((visibility("default"))) result name(type value);                  \
	result name(type value)                                                          \
	{                                                                                \
		return own(value);                                                       \
	}
EXPORT(bool, cali_variant_is_empty, inline_is_empty, cali_variant_t)
EXPORT(cali_variant_t, cali_make_variant_from_uint, inline_uint, uint64_t)
EXPORT(cali_variant_t, cali_make_variant_from_int64, inline_int64, int64_t)
EXPORT(cali_variant_t, cali_make_variant_from_int, inline_int, int)
EXPORT(cali_variant_t, cali_make_variant_from_bool, inline_bool, bool)
EXPORT(cali_variant_t, cali_make_variant_from_double, inline_double, double)
EXPORT(cali_variant_t, cali_make_variant_from_type, inline_type, cali_attr_type)
EXPORT(cali_variant_t, cali_make_variant_from_ptr, inline_ptr, void *)
EXPORT(cali_variant_t, cali_make_variant_from_string, inline_string, const char *)
EXPORT(void *, cali_variant_get_ptr, inline_get_ptr, cali_variant_t)

__attribute__((visibility("default"))) cali_variant_t cali_make_empty_variant(void);
cali_variant_t cali_make_empty_variant(void)
{
	return inline_empty();
}
