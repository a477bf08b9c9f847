/* A value of any type, in C++11, of the compatible interface: see caliper/cali.h. */
#ifndef CALI_COMMON_VARIANT_HPP
#define CALI_COMMON_VARIANT_HPP

#include "cali_variant.h"

#ifdef __cplusplus

/* For programs that have it from here alone. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
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
	explicit Variant(bool truth);
	explicit Variant(unsigned char number);
	explicit Variant(unsigned short number);
	explicit Variant(int number);
	explicit Variant(long number);
	explicit Variant(long long number);
	explicit Variant(unsigned number);
	explicit Variant(unsigned long number);
	explicit Variant(unsigned long long number);
	explicit Variant(double number);
	explicit Variant(const char *text);
	explicit Variant(const std::string &text);
	explicit Variant(cali_attr_type type);
	Variant(cali_attr_type type, const void *data, size_t size);

	cali_attr_type type() const;
	bool empty() const;
	operator bool() const;
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

	cali_id_t to_id(bool *ok = nullptr) const;
	cali_attr_type to_attr_type(bool *ok = nullptr) const;
	void *get_ptr() const;
	/* Whether it refers to bytes that are the program's. */
	bool has_unmanaged_data() const;
	/* Of a text; empty: it is none of the type. Texts are where they were. */
	static Variant from_string(cali_attr_type type, const char *text);
	/* See cali_variant_pack. */
	size_t pack(unsigned char *bytes) const;
	static Variant unpack(const unsigned char *bytes, size_t *read,
			      bool *ok = nullptr);

	bool operator==(const Variant &other) const;
	bool operator!=(const Variant &other) const;
	bool operator<(const Variant &other) const;
	bool operator>(const Variant &other) const;
	/* Of numbers of this one's type; what is empty becomes the other one. */
	Variant &operator+=(const Variant &other);
	Variant &min(const Variant &other);
	Variant &max(const Variant &other);
	/* A number less often; of whole ones, a double. */
	Variant div(unsigned count) const;
	/* Takes one more into what is least, most and the sum so far. */
	static void update_minmaxsum(const Variant &value, Variant &least, Variant &most,
				     Variant &sum);
	/* The same with its text or bytes at `place`, where they are copied to. */
	Variant copy(void *place) const;
	/* As .cali has it. */
	std::ostream &write_cali(std::ostream &stream) const;
};

#define CALI_VARIANT_OF_(type, make)                                                     \
	inline Variant::Variant(type value) : value_(make)                               \
	{                                                                                \
	}
CALI_VARIANT_OF_(const cali_variant_t &, value)
CALI_VARIANT_OF_(bool, cali_make_variant_from_bool(value))
CALI_VARIANT_OF_(unsigned char, cali_make_variant_from_uint(value))
CALI_VARIANT_OF_(unsigned short, cali_make_variant_from_uint(value))
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
CALI_VARIANT_CALL_(cali_attr_type, to_attr_type(bool *ok),
		   cali_variant_to_type(value_, ok))
CALI_VARIANT_CALL_(void *, get_ptr(), cali_variant_get_ptr(value_))
CALI_VARIANT_CALL_(bool, has_unmanaged_data(),
		   type() == CALI_TYPE_STRING || type() == CALI_TYPE_USR)
CALI_VARIANT_CALL_(size_t, pack(unsigned char *bytes), cali_variant_pack(value_, bytes))
CALI_VARIANT_CALL_(bool, operator!=(const Variant &other),
		   !cali_variant_eq(value_, other.value_))
CALI_VARIANT_CALL_(bool, operator>(const Variant &other),
		   cali_variant_compare(value_, other.value_) > 0)
CALI_VARIANT_CALL_(bool, operator==(const Variant &other),
		   cali_variant_eq(value_, other.value_))
CALI_VARIANT_CALL_(bool, operator<(const Variant &other),
		   cali_variant_compare(value_, other.value_) < 0)
#undef CALI_VARIANT_CALL_

inline std::string Variant::to_string() const
{
	if (type() == CALI_TYPE_STRING) {
		size_t length = size();

		/* It may count its end. */
		while (length && !static_cast<const char *>(data())[length - 1])
			length--;
		return std::string(static_cast<const char *>(data()), length);
	}
	if (type() == CALI_TYPE_DOUBLE)
		return std::to_string(to_double());
	if (type() == CALI_TYPE_INT)
		return std::to_string(to_int64());
	if (type() == CALI_TYPE_BOOL)
		return to_bool() ? "true" : "false";
	if (type() == CALI_TYPE_TYPE)
		return cali_type2string(to_attr_type());
	return type() == CALI_TYPE_INV ? std::string() : std::to_string(to_uint());
}

inline cali_id_t Variant::to_id(bool *ok) const
{
	bool right;
	uint64_t number = to_uint(&right);

	if (ok)
		*ok = right;
	return right ? number : CALI_INV_ID;
}

inline Variant Variant::unpack(const unsigned char *bytes, size_t *read, bool *ok)
{
	return Variant(cali_variant_unpack(bytes, read, ok));
}

inline Variant Variant::from_string(cali_attr_type type, const char *text)
{
	char *end = nullptr;
	Variant made;

	if (type == CALI_TYPE_STRING)
		return Variant(text);
	if (type == CALI_TYPE_TYPE)
		return cali_string2type(text) == CALI_TYPE_INV
			       ? Variant()
			       : Variant(cali_string2type(text));
	if (type == CALI_TYPE_BOOL &&
	    (!std::strcmp(text, "true") || !std::strcmp(text, "false")))
		return Variant(*text == 't');
	if (type == CALI_TYPE_BOOL)
		made = Variant(std::strtoull(text, &end, 10) != 0);
	else if (type == CALI_TYPE_DOUBLE)
		made = Variant(std::strtod(text, &end));
	else if (type == CALI_TYPE_INT)
		made = Variant(std::strtoll(text, &end, 10));
	else if (type == CALI_TYPE_UINT || type == CALI_TYPE_ADDR) {
		const uint64_t number =
			std::strtoull(text, &end, type == CALI_TYPE_ADDR ? 16 : 10);

		made = Variant(type, &number, sizeof(number));
	}
	while (end && end != text && std::strchr(" \t\n", *end) && *end)
		end++;
	return end && end != text && !*end ? made : Variant();
}

inline Variant &Variant::operator+=(const Variant &other)
{
	if (empty())
		return *this = other;
	if (type() == CALI_TYPE_DOUBLE)
		*this = Variant(to_double() + other.to_double());
	else if (type() == CALI_TYPE_INT)
		*this = Variant(to_int64() + other.to_int64());
	else if (type() == CALI_TYPE_UINT)
		*this = Variant(to_uint() + other.to_uint());
	return *this;
}

inline Variant &Variant::min(const Variant &other)
{
	if (empty() || (!other.empty() && other.to_double() < to_double()))
		*this = other;
	return *this;
}

inline Variant &Variant::max(const Variant &other)
{
	if (empty() || (!other.empty() && other.to_double() > to_double()))
		*this = other;
	return *this;
}

inline Variant Variant::div(unsigned count) const
{
	return count ? Variant(to_double() / count) : *this;
}

inline void Variant::update_minmaxsum(const Variant &value, Variant &least, Variant &most,
				      Variant &sum)
{
	least.min(value);
	most.max(value);
	sum += value;
}

inline Variant Variant::copy(void *place) const
{
	return has_unmanaged_data()
		       ? Variant(type(), std::memcpy(place, data(), size()), size())
		       : *this;
}

inline std::ostream &Variant::write_cali(std::ostream &stream) const
{
	char digits[32];

	if (type() == CALI_TYPE_DOUBLE) {
		std::snprintf(digits, sizeof(digits), "%.17g", to_double());
		return stream << digits;
	}
	if (type() == CALI_TYPE_ADDR || type() == CALI_TYPE_PTR)
		return stream << std::hex << value_.value.v_uint << std::dec;
	for (char c : to_string()) {
		if (c == '\\' || c == ',' || c == '=')
			stream << '\\';
		if (c == '\n')
			stream << "\\n";
		else
			stream << c;
	}
	return stream;
}

inline std::ostream &operator<<(std::ostream &stream, const Variant &value)
{
	return stream << value.to_string();
}

} // namespace cali

#endif

#endif
