/* Values of any type. */
#include "cali/variant.h"

#include "cali/own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_SHIFT = 32, TYPE_BITS = 8 };

static const struct {
	const char *name;
	uint32_t type; /* enum trm_type */
} types[] = {
	[CALI_TYPE_INV] = {"inv", TRM_TYPE_INT},
	[CALI_TYPE_USR] = {"usr", TRM_TYPE_BLOB},
	[CALI_TYPE_INT] = {"int", TRM_TYPE_INT},
	[CALI_TYPE_UINT] = {"uint", TRM_TYPE_UINT},
	[CALI_TYPE_STRING] = {"string", TRM_TYPE_STRING},
	[CALI_TYPE_ADDR] = {"addr", TRM_TYPE_ADDRESS},
	[CALI_TYPE_DOUBLE] = {"double", TRM_TYPE_DOUBLE},
	[CALI_TYPE_BOOL] = {"bool", TRM_TYPE_BOOL},
	[CALI_TYPE_TYPE] = {"type", TRM_TYPE_TYPE},
	[CALI_TYPE_PTR] = {"ptr", TRM_TYPE_ADDRESS},
};

PUBLIC const char *cali_type2string(cali_attr_type type)
{
	return types[(unsigned)type <= CALI_MAXTYPE ? type : CALI_TYPE_INV].name;
}

PUBLIC cali_attr_type cali_string2type(const char *name)
{
	for (int i = 0; i <= CALI_MAXTYPE; i++)
		if (!strcmp(types[i].name, name))
			return (cali_attr_type)i;
	return CALI_TYPE_INV;
}

uint32_t own_type(cali_attr_type type)
{
	return types[(unsigned)type <= CALI_MAXTYPE ? type : CALI_TYPE_INV].type;
}

cali_attr_type own_cali_type(uint32_t type)
{
	for (int i = CALI_TYPE_USR; i <= CALI_MAXTYPE; i++)
		if (types[i].type == type)
			return (cali_attr_type)i;
	return CALI_TYPE_INV;
}

static const struct {
	const char *name;
	int mask, value;
} properties[] = {
	{"asvalue", CALI_ATTR_ASVALUE, CALI_ATTR_ASVALUE},
	{"nomerge", CALI_ATTR_NOMERGE, CALI_ATTR_NOMERGE},
	{"process_scope", CALI_ATTR_SCOPE_MASK, CALI_ATTR_SCOPE_PROCESS},
	{"thread_scope", CALI_ATTR_SCOPE_MASK, CALI_ATTR_SCOPE_THREAD},
	{"task_scope", CALI_ATTR_SCOPE_MASK, CALI_ATTR_SCOPE_TASK},
	{"skip_events", CALI_ATTR_SKIP_EVENTS, CALI_ATTR_SKIP_EVENTS},
	{"hidden", CALI_ATTR_HIDDEN, CALI_ATTR_HIDDEN},
	{"nested", CALI_ATTR_NESTED, CALI_ATTR_NESTED},
	{"global", CALI_ATTR_GLOBAL, CALI_ATTR_GLOBAL},
	{"unaligned", CALI_ATTR_UNALIGNED, CALI_ATTR_UNALIGNED},
	{"aggregatable", CALI_ATTR_AGGREGATABLE, CALI_ATTR_AGGREGATABLE},
	{"level_1", CALI_ATTR_LEVEL_MASK, CALI_ATTR_LEVEL_1},
	{"level_2", CALI_ATTR_LEVEL_MASK, CALI_ATTR_LEVEL_2},
	{"level_3", CALI_ATTR_LEVEL_MASK, CALI_ATTR_LEVEL_3},
	{"level_4", CALI_ATTR_LEVEL_MASK, CALI_ATTR_LEVEL_4},
	{"level_5", CALI_ATTR_LEVEL_MASK, CALI_ATTR_LEVEL_5},
	{"level_6", CALI_ATTR_LEVEL_MASK, CALI_ATTR_LEVEL_6},
	{"level_7", CALI_ATTR_LEVEL_MASK, CALI_ATTR_LEVEL_7},
};

enum { PROPERTY_COUNT = sizeof(properties) / sizeof(properties[0]) };

PUBLIC int cali_prop2string(int given, char *text, size_t size)
{
	size_t used = 0;

	if (size)
		text[0] = '\0';
	for (int i = 0; i < PROPERTY_COUNT; i++) {
		if ((given & properties[i].mask) != properties[i].value)
			continue;
		used += (size_t)snprintf(used < size ? text + used : NULL,
					 used < size ? size - used : 0, "%s%s",
					 used ? ":" : "", properties[i].name);
	}
	return (int)used + 1;
}

PUBLIC int cali_string2prop(const char *text)
{
	int result = 0;

	for (size_t length; *text; text += length + (text[length] != '\0')) {
		length = strcspn(text, ":, ");
		for (int i = 0; i < PROPERTY_COUNT; i++)
			if (strlen(properties[i].name) == length &&
			    !strncmp(properties[i].name, text, length))
				result = (result & ~properties[i].mask) |
					 properties[i].value;
	}
	return result;
}

static bool is_text(cali_attr_type type)
{
	return type == CALI_TYPE_STRING || type == CALI_TYPE_USR;
}

PUBLIC cali_variant_t cali_make_variant(cali_attr_type type, const void *data,
					size_t size)
{
	cali_variant_t value = cali_make_empty_variant();
	int small;

	if ((unsigned)type > CALI_MAXTYPE || type == CALI_TYPE_INV)
		return value;
	value.type_and_size = (uint64_t)type;
	if (is_text(type)) {
		value.type_and_size |= (uint64_t)size << SIZE_SHIFT;
		value.value.unmanaged_const_ptr = data;
	} else if (type == CALI_TYPE_INT && size == sizeof(small)) {
		memcpy(&small, data, sizeof(small));
		value.value.v_int = small;
	} else if (type == CALI_TYPE_PTR) {
		value.value.unmanaged_const_ptr = data;
	} else {
		memcpy(&value.value, data, size < 8 ? size : 8);
	}
	return value;
}

PUBLIC cali_attr_type cali_variant_get_type(cali_variant_t value)
{
	return (cali_attr_type)(value.type_and_size & CALI_VARIANT_TYPE_MASK);
}

PUBLIC size_t cali_variant_get_size(cali_variant_t value)
{
	cali_attr_type type = cali_variant_get_type(value);

	if (is_text(type))
		return value.type_and_size >> SIZE_SHIFT;
	return type == CALI_TYPE_INV    ? 0
	       : type == CALI_TYPE_BOOL ? sizeof(bool)
	       : type == CALI_TYPE_TYPE ? sizeof(cali_attr_type)
					: sizeof(value.value);
}

PUBLIC const void *cali_variant_get_data(const cali_variant_t *value)
{
	cali_attr_type type = cali_variant_get_type(*value);

	return is_text(type)           ? value->value.unmanaged_const_ptr
	       : type == CALI_TYPE_INV ? NULL
				       : (const void *)&value->value;
}

static void set_ok(bool *ok, bool truth)
{
	if (ok)
		*ok = truth;
}

/* A text that is a number. */
static double parse_double(cali_variant_t value, bool *ok)
{
	char text[64], *end;
	size_t size = cali_variant_get_size(value);
	double number;

	if (size >= sizeof(text))
		size = sizeof(text) - 1;
	memcpy(text, value.value.unmanaged_const_ptr, size);
	text[size] = '\0';
	number = strtod(text, &end);
	set_ok(ok, size && !*end);
	return number;
}

PUBLIC double cali_variant_to_double(cali_variant_t value, bool *ok)
{
	set_ok(ok, true);
	switch (cali_variant_get_type(value)) {
	case CALI_TYPE_DOUBLE:
		return value.value.v_double;
	case CALI_TYPE_INT:
		return (double)value.value.v_int;
	case CALI_TYPE_UINT:
	case CALI_TYPE_BOOL:
		return (double)value.value.v_uint;
	case CALI_TYPE_STRING:
		return parse_double(value, ok);
	default:
		set_ok(ok, false);
		return 0;
	}
}

PUBLIC int64_t cali_variant_to_int64(cali_variant_t value, bool *ok)
{
	cali_attr_type type = cali_variant_get_type(value);
	double number;

	if (type == CALI_TYPE_DOUBLE || type == CALI_TYPE_STRING) {
		number = cali_variant_to_double(value, ok);
		if (number >= -9.2e18 && number <= 9.2e18)
			return (int64_t)number;
		set_ok(ok, false);
		return 0;
	}
	set_ok(ok, type == CALI_TYPE_INT || type == CALI_TYPE_BOOL ||
			   (type == CALI_TYPE_UINT && value.value.v_int >= 0));
	return type == CALI_TYPE_INT || type == CALI_TYPE_BOOL || type == CALI_TYPE_UINT
		       ? value.value.v_int
		       : 0;
}

PUBLIC int cali_variant_to_int(cali_variant_t value, bool *ok)
{
	bool fits;
	int64_t number = cali_variant_to_int64(value, &fits);

	set_ok(ok, fits && number == (int)number);
	return (int)number;
}

PUBLIC uint64_t cali_variant_to_uint(cali_variant_t value, bool *ok)
{
	cali_attr_type type = cali_variant_get_type(value);
	bool fits;
	int64_t number;

	if (type == CALI_TYPE_UINT || type == CALI_TYPE_ADDR || type == CALI_TYPE_BOOL) {
		set_ok(ok, true);
		return value.value.v_uint;
	}
	number = cali_variant_to_int64(value, &fits);
	set_ok(ok, fits && number >= 0);
	return (uint64_t)number;
}

PUBLIC cali_attr_type cali_variant_to_type(cali_variant_t value, bool *ok)
{
	bool is_type = cali_variant_get_type(value) == CALI_TYPE_TYPE;

	set_ok(ok, is_type);
	return is_type ? (cali_attr_type)value.value.v_uint : CALI_TYPE_INV;
}

PUBLIC bool cali_variant_to_bool(cali_variant_t value, bool *ok)
{
	const char *text = value.value.unmanaged_const_ptr;
	size_t size = cali_variant_get_size(value);

	if (cali_variant_get_type(value) == CALI_TYPE_STRING) {
		bool truth = size == 4 && !strncmp(text, "true", 4);

		set_ok(ok, truth || (size == 5 && !strncmp(text, "false", 5)));
		return truth;
	}
	return cali_variant_to_double(value, ok) != 0;
}

static int order_of(bool less, bool greater)
{
	return greater - less;
}

PUBLIC int cali_variant_compare(cali_variant_t a, cali_variant_t b)
{
	cali_attr_type type = cali_variant_get_type(a);
	size_t size = cali_variant_get_size(a), other = cali_variant_get_size(b);
	int result;

	if (type != cali_variant_get_type(b))
		return order_of(
			type<cali_variant_get_type(b), type> cali_variant_get_type(b));
	if (is_text(type)) {
		result = memcmp(cali_variant_get_data(&a), cali_variant_get_data(&b),
				size < other ? size : other);
		return result ? order_of(result<0, result> 0)
			      : order_of(size<other, size> other);
	}
	if (type == CALI_TYPE_INT)
		return order_of(
			a.value.v_int<b.value.v_int, a.value.v_int> b.value.v_int);
	if (type == CALI_TYPE_DOUBLE)
		return order_of(a.value.v_double<b.value.v_double, a.value.v_double> b
					.value.v_double);
	return order_of(a.value.v_uint<b.value.v_uint, a.value.v_uint> b.value.v_uint);
}

PUBLIC bool cali_variant_eq(cali_variant_t a, cali_variant_t b)
{
	return !cali_variant_compare(a, b);
}

size_t own_pack(uint64_t number, unsigned char *bytes)
{
	size_t count = 0;

	for (; number >= 0x80; number >>= 7)
		bytes[count++] = (unsigned char)(number | 0x80);
	bytes[count++] = (unsigned char)number;
	return count;
}

uint64_t own_unpack(const unsigned char *bytes, size_t *read)
{
	uint64_t number = 0;
	size_t count = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		number |= (uint64_t)(bytes[count] & 0x7f) << shift;
		if (!(bytes[count++] & 0x80))
			break;
	}
	*read += count;
	return number;
}

/* Snapshots have to find room where programs of the peer's keep theirs. */
PUBLIC size_t cali_variant_pack(cali_variant_t value, unsigned char *bytes)
{
	uint64_t size = value.type_and_size >> SIZE_SHIFT;
	size_t count = own_pack(size << TYPE_BITS |
					(value.type_and_size & CALI_VARIANT_TYPE_MASK),
				bytes);

	return count + own_pack(value.value.v_uint, bytes + count);
}

PUBLIC cali_variant_t cali_variant_unpack(const unsigned char *bytes, size_t *read,
					  bool *ok)
{
	cali_variant_t value = cali_make_empty_variant();
	size_t count = 0;
	uint64_t about = own_unpack(bytes, &count);

	value.type_and_size =
		about >> TYPE_BITS << SIZE_SHIFT | (about & CALI_VARIANT_TYPE_MASK);
	value.value.v_uint = own_unpack(bytes + count, &count);
	*read += count;
	set_ok(ok, cali_variant_get_type(value) <= CALI_MAXTYPE);
	return value;
}

struct trm_value own_value(cali_variant_t variant)
{
	cali_attr_type type = cali_variant_get_type(variant);
	struct trm_value value = {own_type(type), 0, {0}};

	value.as.u = variant.value.v_uint;
	if (type == CALI_TYPE_TYPE)
		value.as.u = own_type((cali_attr_type)variant.value.v_uint);
	if (is_text(type))
		value.size = (uint32_t)cali_variant_get_size(variant);
	/* The length of a text may count its end. */
	while (type == CALI_TYPE_STRING && value.size &&
	       !((const char *)value.as.bytes)[value.size - 1])
		value.size--;
	return value;
}

cali_variant_t own_variant(uint32_t type, const struct trm_value *value)
{
	cali_variant_t variant = cali_make_empty_variant();

	variant.type_and_size = (uint64_t)own_cali_type(type) | (uint64_t)value->size
									<< SIZE_SHIFT;
	variant.value.v_uint = type == TRM_TYPE_TYPE
				       ? (uint64_t)own_cali_type((uint32_t)value->as.u)
				       : value->as.u;
	return variant;
}
