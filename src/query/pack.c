#include "query/pack.h"

#include "query/value.h"

enum { NO_TEXT = UINT32_MAX };

void query_pack_bytes(struct query_pack *pack, const void *bytes, size_t size)
{
	vector_reserve(pack, pack->count + size + 1);
	if (size)
		memcpy(pack->items + pack->count, bytes, size);
	pack->count += size;
}

void query_pack_uint(struct query_pack *pack, uint32_t number)
{
	query_pack_bytes(pack, &number, sizeof(number));
}

/* With the 0 at its end, so that it can be used where it lies. */
void query_pack_text(struct query_pack *pack, const char *text)
{
	size_t length = text ? strlen(text) : 0;

	query_pack_uint(pack, text ? (uint32_t)length : NO_TEXT);
	if (text)
		query_pack_bytes(pack, text, length + 1);
}

static bool has_bytes(enum record_type type)
{
	return type == RECORD_STRING || type == RECORD_BLOB;
}

void query_pack_value(struct query_pack *pack, struct record_value value)
{
	query_pack_uint(pack, (uint32_t)value.type);
	if (!has_bytes(value.type)) {
		query_pack_bytes(pack, &value.u, sizeof(value.u));
		return;
	}
	query_pack_uint(pack, (uint32_t)value.size);
	query_pack_bytes(pack, value.bytes, value.size);
	query_pack_bytes(pack, "", 1);
}

static const char *take_bytes(struct query_unpack *unpack, size_t size)
{
	const char *at = unpack->at;

	if (unpack->wrong || size > unpack->left) {
		unpack->wrong = true;
		return NULL;
	}
	unpack->at += size;
	unpack->left -= size;
	return at;
}

void query_unpack_bytes(struct query_unpack *unpack, void *ret_bytes, size_t size)
{
	const char *from = take_bytes(unpack, size);

	if (from)
		memcpy(ret_bytes, from, size);
	else
		memset(ret_bytes, 0, size);
}

uint32_t query_unpack_uint(struct query_unpack *unpack)
{
	uint32_t number;

	query_unpack_bytes(unpack, &number, sizeof(number));
	return number;
}

uint32_t query_unpack_index(struct query_unpack *unpack, size_t end)
{
	uint32_t number = query_unpack_uint(unpack);

	unpack->wrong |= number >= end;
	return unpack->wrong ? 0 : number;
}

/* So many bytes, and a 0. */
static const char *take_text(struct query_unpack *unpack, size_t length)
{
	const char *text = take_bytes(unpack, length + 1);

	unpack->wrong |= text && text[length];
	return unpack->wrong ? NULL : text;
}

const char *query_unpack_text(struct query_unpack *unpack)
{
	uint32_t length = query_unpack_uint(unpack);
	const char *text = length == NO_TEXT ? NULL : take_text(unpack, length);

	unpack->wrong |= text && strlen(text) != length;
	return unpack->wrong ? NULL : text;
}

struct record_value query_unpack_value(struct query_unpack *unpack)
{
	struct record_value value = {
		.type = (enum record_type)query_unpack_index(unpack, QUERY_NOTHING + 1)};

	if (!has_bytes(value.type)) {
		query_unpack_bytes(unpack, &value.u, sizeof(value.u));
		return value;
	}
	value.size = query_unpack_uint(unpack);
	value.bytes = take_text(unpack, value.size);
	return unpack->wrong ? query_nothing() : value;
}
