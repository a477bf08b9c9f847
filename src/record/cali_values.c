/* Names of types, properties and values in .cali files. */
#include "record/cali_values.h"

#include "base/array.h"
#include "record/cali.h"
#include "record/value.h"

#include <stdio.h>

static const struct {
	const char *name;
	unsigned node;
} types[RECORD_TYPE_COUNT] = {
	[RECORD_BLOB] = {"usr", 0},     [RECORD_INT] = {"int", 1},
	[RECORD_UINT] = {"uint", 2},    [RECORD_STRING] = {"string", 3},
	[RECORD_ADDRESS] = {"addr", 4}, [RECORD_DOUBLE] = {"double", 5},
	[RECORD_BOOL] = {"bool", 6},    [RECORD_TYPE] = {"type", 7},
};

const char *cali_type_name(enum record_type type)
{
	return types[type].name;
}

unsigned cali_type_node(enum record_type type)
{
	return types[type].node;
}

static bool is_text(const char *text, size_t size, const char *wanted)
{
	return strlen(wanted) == size && !memcmp(text, wanted, size);
}

bool cali_type_find(const char *name, size_t size, enum record_type *ret_type)
{
	if (is_text(name, size, "ptr")) {
		*ret_type = RECORD_ADDRESS;
		return true;
	}
	for (int type = 0; type < RECORD_TYPE_COUNT; type++) {
		if (is_text(name, size, types[type].name)) {
			*ret_type = (enum record_type)type;
			return true;
		}
	}
	return false;
}

static const struct {
	uint32_t cali, mask; /* bits of these are looked at */
	uint32_t record;
} properties[] = {
	{CALI_AS_VALUE, CALI_AS_VALUE, RECORD_AS_VALUE},
	{CALI_SCOPE_PROCESS, CALI_SCOPE_MASK, RECORD_SCOPE_PROCESS},
	{CALI_SCOPE_THREAD, CALI_SCOPE_MASK, RECORD_SCOPE_THREAD},
	{CALI_SCOPE_TASK, CALI_SCOPE_MASK, RECORD_SCOPE_TASK},
	{CALI_SKIP_EVENTS, CALI_SKIP_EVENTS, RECORD_SKIP_EVENTS},
	{CALI_HIDDEN, CALI_HIDDEN, RECORD_HIDDEN},
	{CALI_NESTED, CALI_NESTED, RECORD_NESTED},
	{CALI_GLOBAL, CALI_GLOBAL, RECORD_GLOBAL},
	{CALI_UNALIGNED, CALI_UNALIGNED, RECORD_UNALIGNED},
	{CALI_AGGREGATABLE, CALI_AGGREGATABLE, RECORD_AGGREGATABLE},
};

/* Levels are the same bits in both. */
uint32_t cali_properties_read(uint64_t bits)
{
	uint32_t found = (uint32_t)bits & RECORD_LEVEL_MASK;

	for (size_t i = 0; i < array_count(properties); i++)
		if ((bits & properties[i].mask) == properties[i].cali)
			found |= properties[i].record;
	return found;
}

uint32_t cali_properties_write(uint32_t bits)
{
	uint32_t found = bits & RECORD_LEVEL_MASK;

	for (size_t i = 0; i < array_count(properties); i++)
		if (bits & properties[i].record)
			found |= properties[i].cali;
	return found;
}

bool cali_read_long_uint(const char **at, uint64_t *ret_number)
{
	uint64_t number = 0;
	const char *c = *at;

	for (; (uint8_t)(*c - '0') <= 9; c++)
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, *c - '0', &number))
			return false;
	if (c == *at || !cali_is_end(*c))
		return false;
	*at = c;
	*ret_number = number;
	return true;
}

static bool read_uint(const char **at, struct text *bytes, struct record_value *ret_value)
{
	(void)bytes;
	return cali_read_uint(at, &ret_value->u);
}

static bool read_int(const char **at, struct text *bytes, struct record_value *ret_value)
{
	bool negative = **at == '-';
	uint64_t number;

	(void)bytes;
	*at += negative;
	if (!cali_read_uint(at, &number) || number > (uint64_t)INT64_MAX + negative)
		return false;
	ret_value->u = negative ? -number : number;
	return true;
}

/*
 * A decimal with at most 15 digits and a power of ten up to 22 is one product or quotient
 * of doubles that are exact (Clinger, "How to read floating point numbers accurately",
 * 1990). Everything else is left to strtod.
 */
static bool read_short_double(const char **at, double *ret_number)
{
	static const double powers[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
					1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
					1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	const char *c = *at + (**at == '-'), *point = NULL;
	uint64_t mantissa = 0;
	int digits = 0, after = 0;

	for (;; c++) {
		uint8_t digit = (uint8_t)(*c - '0');

		if (digit <= 9) {
			mantissa = mantissa * 10 + digit;
			if (++digits > 15)
				return false;
		} else if (*c == '.' && !point) {
			point = c;
		} else {
			break;
		}
	}
	if (!digits || !cali_is_end(*c))
		return false;
	if (point)
		after = (int)(c - point - 1);
	*ret_number = (double)mantissa / powers[after];
	if (**at == '-')
		*ret_number = -*ret_number;
	*at = c;
	return true;
}

static bool read_double(const char **at, struct text *bytes,
			struct record_value *ret_value)
{
	char *end;

	(void)bytes;
	if (read_short_double(at, &ret_value->d))
		return true;
	/* strtod skips spaces, and new lines are among them. */
	if (!**at || !strchr("0123456789+-.iInN", **at))
		return false;
	ret_value->d = strtod(*at, &end);
	if (end == *at || !cali_is_end(*end))
		return false;
	*at = end;
	return true;
}

static bool read_string(const char **at, struct text *bytes,
			struct record_value *ret_value)
{
	const char *c = *at, *begin = c;

	ret_value->u = bytes->length;
	for (;; c++) {
		if (*c == '\\' && c[1] != '\n') {
			text_add_bytes(bytes, begin, (size_t)(c - begin));
			c++;
			text_add_bytes(bytes, *c == 'n' ? "\n" : c, 1);
			begin = c + 1;
		} else if (cali_is_end(*c)) {
			break;
		}
	}
	text_add_bytes(bytes, begin, (size_t)(c - begin));
	ret_value->size = bytes->length - ret_value->u;
	text_add_bytes(bytes, "", 1);
	*at = c;
	return true;
}

static bool read_address(const char **at, struct text *bytes,
			 struct record_value *ret_value)
{
	const char *c = *at;

	(void)bytes;
	ret_value->u = 0;
	if (c[0] == '0' && (c[1] == 'x' || c[1] == 'X'))
		c += 2;
	const char *first = c;

	for (; text_hex_digit(*c) >= 0; c++) {
		if (ret_value->u >> 60)
			return false;
		ret_value->u = ret_value->u << 4 | (unsigned)text_hex_digit(*c);
	}
	if (c == first || !cali_is_end(*c))
		return false;
	*at = c;
	return true;
}

/* "a:ff:0:", each byte with one digit or two. */
static bool read_blob(const char **at, struct text *bytes, struct record_value *ret_value)
{
	const char *c = *at;

	ret_value->u = bytes->length;
	while (!cali_is_end(*c)) {
		int byte = text_hex_digit(*c++);

		if (byte < 0)
			return false;
		if (text_hex_digit(*c) >= 0)
			byte = byte << 4 | text_hex_digit(*c++);
		if (*c++ != ':')
			return false;
		char one = (char)byte;

		text_add_bytes(bytes, &one, 1);
	}
	ret_value->size = bytes->length - ret_value->u;
	text_add_bytes(bytes, "", 1);
	*at = c;
	return true;
}

/* The word at the place, up to its end. */
static size_t word_size(const char *at)
{
	size_t size = 0;

	while (!cali_is_end(at[size]))
		size++;
	return size;
}

static bool read_bool(const char **at, struct text *bytes, struct record_value *ret_value)
{
	size_t size = word_size(*at);

	(void)bytes;
	ret_value->u = is_text(*at, size, "true") || is_text(*at, size, "1");
	if (!ret_value->u && !is_text(*at, size, "false") && !is_text(*at, size, "0"))
		return false;
	*at += size;
	return true;
}

static bool read_type(const char **at, struct text *bytes, struct record_value *ret_value)
{
	size_t size = word_size(*at);
	enum record_type type;

	(void)bytes;
	if (!cali_type_find(*at, size, &type))
		return false;
	ret_value->u = type;
	*at += size;
	return true;
}

static bool (*const readers[RECORD_TYPE_COUNT])(const char **, struct text *,
						struct record_value *) = {
	[RECORD_INT] = read_int,       [RECORD_UINT] = read_uint,
	[RECORD_DOUBLE] = read_double, [RECORD_STRING] = read_string,
	[RECORD_BOOL] = read_bool,     [RECORD_ADDRESS] = read_address,
	[RECORD_TYPE] = read_type,     [RECORD_BLOB] = read_blob,
};

bool cali_read_value(const char **at, enum record_type type, struct text *bytes,
		     struct record_value *ret_value, bool *ret_empty)
{
	bool has_bytes = type == RECORD_STRING || type == RECORD_BLOB;

	ret_value->type = type;
	ret_value->size = 0;
	*ret_empty = !has_bytes && cali_is_end(**at);
	return *ret_empty || readers[type](at, bytes, ret_value);
}

const char *cali_skip_value(const char *at)
{
	for (; !cali_is_end(*at); at++)
		at += *at == '\\' && at[1] != '\n';
	return at;
}

/* By hand, two digits at a time: files have millions of them. */
void cali_add_number(struct text *text, uint64_t number)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324252627282930313233"
		"34353637383940414243444546474849505152535455565758596061626364656667"
		"6869707172737475767778798081828384858687888990919293949596979899";
	char digits[20], *at = digits + sizeof(digits);
	char *to = text_room(text, sizeof(digits));
	size_t length;

	for (; number > 9; number /= 100) {
		at -= 2;
		memcpy(at, &pairs[number % 100 * 2], 2);
	}
	if (number || at == digits + sizeof(digits))
		*--at = (char)('0' + number);
	length = (size_t)(digits + sizeof(digits) - at);
	memcpy(to, at, length);
	text_grow(text, to + length);
}

static void add_string(struct text *text, struct record_value value)
{
	const char *at = value.bytes, *end = value.bytes + value.size, *begin = at;

	for (; at < end; at++) {
		if (*at != '\\' && !cali_is_end(*at))
			continue;
		text_add_bytes(text, begin, (size_t)(at - begin));
		text_add_bytes(text, "\\", 1);
		text_add_bytes(text, *at == '\n' ? "n" : at, 1);
		begin = at + 1;
	}
	text_add_bytes(text, begin, (size_t)(at - begin));
}

void cali_add_value(struct text *text, struct record_value value)
{
	switch (value.type) {
	case RECORD_UINT:
		cali_add_number(text, value.u);
		break;
	case RECORD_STRING:
		if (value.size)
			add_string(text, value);
		break;
	case RECORD_ADDRESS:
		text_format(text, "%llx", (unsigned long long)value.u);
		break;
	case RECORD_TYPE:
		if (value.u < RECORD_TYPE_COUNT)
			text_add(text, types[value.u].name);
		break;
	case RECORD_BLOB:
		for (size_t i = 0; i < value.size; i++)
			text_format(text, "%x:", (uint8_t)value.bytes[i]);
		break;
	default:
		record_value_text(text, value);
	}
}
