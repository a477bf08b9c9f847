#include "query/value.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool has_bytes(enum record_type type)
{
	return type == RECORD_STRING || type == RECORD_BLOB;
}

struct record_value query_number(struct record_value value)
{
	if (value.type == RECORD_DOUBLE || value.type == RECORD_UINT)
		return value;
	if (value.type == RECORD_INT)
		return value.i < 0 ? value : record_uint(value.u);
	if (value.type == RECORD_ADDRESS || value.type == RECORD_BOOL)
		return record_uint(value.u);
	return query_nothing();
}

struct record_value query_canonical(struct record_value value)
{
	if (value.type == RECORD_INT && value.i >= 0)
		value.type = RECORD_UINT;
	if (value.type == RECORD_DOUBLE && value.d == 0)
		value.d = 0; /* not -0 */
	return value;
}

double query_as_double(struct record_value number)
{
	if (number.type == RECORD_DOUBLE)
		return number.d;
	return number.type == RECORD_INT ? (double)number.i : (double)number.u;
}

__int128 query_as_whole(struct record_value number)
{
	return number.type == RECORD_INT ? (__int128)number.i : (__int128)number.u;
}

struct record_value query_whole(__int128 whole, bool *ret_rounded)
{
	if (whole >= 0 && whole <= UINT64_MAX)
		return record_uint((uint64_t)whole);
	if (whole < 0 && whole >= INT64_MIN)
		return record_int((int64_t)whole);
	if (ret_rounded)
		*ret_rounded = true;
	return query_double((double)whole);
}

static struct record_value parse_whole(const char *text)
{
	bool negative = *text == '-';
	const char *digits = text + negative;
	int base = !strncmp(digits, "0x", 2) ? 16 : 10;
	char *end;

	if (*digits < '0' || *digits > '9')
		return query_nothing();
	errno = 0;
	unsigned long long number = strtoull(digits, &end, base);

	if (errno || *end || end == digits)
		return query_nothing();
	__int128 whole = negative ? -(__int128)number : (__int128)number;

	return query_whole(whole, NULL);
}

struct record_value query_parse_number(const char *text)
{
	struct record_value value = parse_whole(text);
	char *end;

	if (query_is_there(value))
		return value;
	/* strtod also takes words ("nan", "infinity") and spaces. */
	if (!text[0] || strspn(text, "0123456789.eE+-") != strlen(text))
		return query_nothing();
	double d = strtod(text, &end);

	return *end ? query_nothing() : query_double(d);
}

/* Ranks in the order of query_compare. */
enum rank { RANK_NUMBER, RANK_NAN, RANK_BYTES, RANK_OTHER, RANK_NOTHING };

static enum rank rank_of(struct record_value value, struct record_value number)
{
	if (query_is_nan(number))
		return RANK_NAN;
	if (query_is_there(number))
		return RANK_NUMBER;
	if (has_bytes(value.type))
		return RANK_BYTES;
	return query_is_there(value) ? RANK_OTHER : RANK_NOTHING;
}

/* Holds every 64-bit integer and every double. */
static long double exact_double(struct record_value number)
{
	if (number.type == RECORD_DOUBLE)
		return number.d;
	return number.type == RECORD_INT ? (long double)number.i : (long double)number.u;
}

static int compare_bytes(struct record_value a, struct record_value b)
{
	size_t common = a.size < b.size ? a.size : b.size;
	int order = common ? memcmp(a.bytes, b.bytes, common) : 0;

	return order ? order : (a.size > b.size) - (a.size < b.size);
}

int query_compare(struct record_value a, struct record_value b)
{
	struct record_value x = query_number(a), y = query_number(b);
	enum rank rank = rank_of(a, x), other = rank_of(b, y);

	if (rank != other)
		return rank < other ? -1 : 1;
	if (rank == RANK_NUMBER)
		return (exact_double(x) > exact_double(y)) -
		       (exact_double(x) < exact_double(y));
	if (rank == RANK_BYTES)
		return compare_bytes(a, b);
	return rank == RANK_OTHER ? (a.u > b.u) - (a.u < b.u) : 0;
}

/* Keeps the rounding error of the addition, exactly (Knuth, TAOCP 2, 4.2.2, theorem B).
 */
void query_sum_real(struct query_sum *sum, double d)
{
	double total = sum->high + d;
	double part = total - sum->high;
	double lost = (sum->high - (total - part)) + (d - part);

	sum->high = total;
	/* With infinities and NaN there is no error to keep. */
	if (isfinite(lost))
		sum->low += lost;
	sum->real = sum->any = true;
}

void query_sum_merge(struct query_sum *sum, const struct query_sum *other)
{
	sum->whole += other->whole;
	if (other->real) {
		query_sum_real(sum, other->high);
		sum->low += other->low;
	}
	sum->any |= other->any;
}

struct record_value query_sum_value(const struct query_sum *sum, bool *ret_rounded)
{
	if (!sum->any)
		return query_nothing();
	if (!sum->real)
		return query_whole(sum->whole, ret_rounded);
	struct query_sum all = *sum;

	/* In two halves that a double holds exactly, if it does not hold the whole. */
	__int128 rest = sum->whole % ((__int128)1 << 53);

	query_sum_real(&all, (double)(sum->whole - rest));
	query_sum_real(&all, (double)rest);
	return query_double(all.high + all.low);
}
