/* A value of any type, in C++11, of the compatible interface: see caliper/cali.h. */
#ifndef CALI_COMMON_VARIANT_HPP
#define CALI_COMMON_VARIANT_HPP

#include "cali_variant.h"

#ifdef __cplusplus

/* For programs that have it from here alone. */
#include <iostream>
#include <string>

namespace cali
{

/* Texts are where they were: the variant does not own them. */
class Variant
{
	cali_variant_t value_;

      public:
	Variant();
	Variant(const cali_variant_t &value);
	Variant(bool truth);
	Variant(int number);
	Variant(long number);
	Variant(long long number);
	Variant(unsigned number);
	Variant(unsigned long number);
	Variant(unsigned long long number);
	Variant(double number);
	Variant(const char *text);
	Variant(const std::string &text);
	Variant(cali_attr_type type);
	Variant(cali_attr_type type, const void *data, size_t size);

	cali_attr_type type() const;
	bool empty() const;
	explicit operator bool() const;
	cali_variant_t c_variant() const;
	const void *data() const;
	size_t size() const;
	/* As another type; `ok`: whether that has a meaning. */
	int to_int(bool *ok = nullptr) const;
	int64_t to_int64(bool *ok = nullptr) const;
	uint64_t to_uint(bool *ok = nullptr) const;
	double to_double(bool *ok = nullptr) const;
	bool to_bool(bool *ok = nullptr) const;
	/* A text as it is, true or false, digits; "": no value. */
	std::string to_string() const;

	bool operator==(const Variant &other) const;
	bool operator<(const Variant &other) const;
};

#define CALI_VARIANT_OF_(type, make)                                                     \
	inline Variant::Variant(type value) : value_(make)                               \
	{                                                                                \
	}
CALI_VARIANT_OF_(const cali_variant_t &, value)
CALI_VARIANT_OF_(bool, cali_make_variant_from_bool(value))
CALI_VARIANT_OF_(int, cali_make_variant_from_int64(value))
CALI_VARIANT_OF_(long, cali_make_variant_from_int64(value))
CALI_VARIANT_OF_(long long, cali_make_variant_from_int64(value))
CALI_VARIANT_OF_(unsigned, cali_make_variant_from_uint(value))
CALI_VARIANT_OF_(unsigned long, cali_make_variant_from_uint(value))
CALI_VARIANT_OF_(unsigned long long, cali_make_variant_from_uint(value))
CALI_VARIANT_OF_(double, cali_make_variant_from_double(value))
CALI_VARIANT_OF_(const char *, cali_make_variant_from_string(value))
CALI_VARIANT_OF_(const std::string &,
		 cali_make_variant(CALI_TYPE_STRING, value.data(), value.size()))
CALI_VARIANT_OF_(cali_attr_type, cali_make_variant_from_type(value))
#undef CALI_VARIANT_OF_

inline Variant::Variant() : value_(cali_make_empty_variant())
{
}

inline Variant::Variant(cali_attr_type type, const void *data, size_t size)
    : value_(cali_make_variant(type, data, size))
{
}

#define CALI_VARIANT_CALL_(result, name, call)                                           \
	inline result Variant::name const                                                \
	{                                                                                \
		return call;                                                             \
	}
CALI_VARIANT_CALL_(cali_attr_type, type(), cali_variant_get_type(value_))
CALI_VARIANT_CALL_(bool, empty(), cali_variant_is_empty(value_))
CALI_VARIANT_CALL_(, operator bool(), !empty())
CALI_VARIANT_CALL_(cali_variant_t, c_variant(), value_)
CALI_VARIANT_CALL_(const void *, data(), cali_variant_get_data(&value_))
CALI_VARIANT_CALL_(size_t, size(), cali_variant_get_size(value_))
CALI_VARIANT_CALL_(int, to_int(bool *ok), cali_variant_to_int(value_, ok))
CALI_VARIANT_CALL_(int64_t, to_int64(bool *ok), cali_variant_to_int64(value_, ok))
CALI_VARIANT_CALL_(uint64_t, to_uint(bool *ok), cali_variant_to_uint(value_, ok))
CALI_VARIANT_CALL_(double, to_double(bool *ok), cali_variant_to_double(value_, ok))
CALI_VARIANT_CALL_(bool, to_bool(bool *ok), cali_variant_to_bool(value_, ok))
CALI_VARIANT_CALL_(bool, operator==(const Variant &other),
		   cali_variant_eq(value_, other.value_))
CALI_VARIANT_CALL_(bool, operator<(const Variant &other),
		   cali_variant_compare(value_, other.value_) < 0)
#undef CALI_VARIANT_CALL_

inline std::string Variant::to_string() const
{
	if (type() == CALI_TYPE_STRING)
		return std::string(static_cast<const char *>(data()), size());
	if (type() == CALI_TYPE_DOUBLE)
		return std::to_string(to_double());
	if (type() == CALI_TYPE_INT)
		return std::to_string(to_int64());
	if (type() == CALI_TYPE_BOOL)
		return to_bool() ? "true" : "false";
	return type() == CALI_TYPE_INV ? std::string() : std::to_string(to_uint());
}

inline std::ostream &operator<<(std::ostream &stream, const Variant &value)
{
	return stream << value.to_string();
}

} // namespace cali

#endif

#endif
