/*
 * Memory that the program has named. Where a channel has the service alloc, a snapshot
 * says when a piece is named and when its name is taken away, and, if it is asked for,
 * addresses in other snapshots are said by the pieces that they lie in.
 */
#include "cali/own.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct piece {
	uint64_t start, size, element_size;
	uint64_t uid;
	char *label;
};

/* By their starts. */
static struct {
	pthread_mutex_t lock;
	struct piece *items;
	size_t count, room;
	uint64_t made;
} pieces = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const struct trm_runtime_wish tracks = {"alloc", "ALLOC_TRACK_ALLOCATIONS", true};
static const struct trm_runtime_wish resolves = {"alloc", "ALLOC_RESOLVE_ADDRESSES",
						 false};

static void hold(void)
{
	pthread_mutex_lock(&pieces.lock);
}

static void let_go(void)
{
	pthread_mutex_unlock(&pieces.lock);
}

static void watch_forks(void)
{
	pthread_atfork(hold, let_go, let_go);
}

/* How many start there or before. */
static size_t count_before(uint64_t address)
{
	size_t low = 0, high = pieces.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pieces.items[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool make_room(void)
{
	size_t room = 2 * pieces.room + 16;
	struct piece *items;

	if (pieces.count < pieces.room)
		return true;
	items = realloc(pieces.items, room * sizeof(*items));
	if (!items)
		return false;
	pieces.items = items;
	pieces.room = room;
	return true;
}

/* One that starts where another one does is in front of it. */
static bool insert(struct piece *piece)
{
	size_t at;
	bool fits;

	hold();
	fits = make_room();
	if (fits) {
		at = count_before(piece->start);
		piece->uid = ++pieces.made;
		memmove(pieces.items + at + 1, pieces.items + at,
			(pieces.count++ - at) * sizeof(*piece));
		pieces.items[at] = *piece;
	}
	let_go();
	return fits;
}

static bool take_out(uint64_t start, struct piece *ret_piece)
{
	bool found;
	size_t at;

	hold();
	at = count_before(start);
	found = at && pieces.items[at - 1].start == start;
	if (found) {
		*ret_piece = pieces.items[at - 1];
		memmove(pieces.items + at - 1, pieces.items + at,
			(pieces.count-- - at) * sizeof(*pieces.items));
	}
	let_go();
	return found;
}

/* `bytes`: less than 0 where the piece goes. */
static void say(const struct piece *piece, const char *kind, int64_t bytes)
{
	enum { COUNT = 4, VALUE = CALI_ATTR_ASVALUE };
	const struct {
		const char *name;
		cali_attr_type type;
		cali_variant_t value;
	} rows[COUNT] = {
		{kind, CALI_TYPE_STRING, cali_make_variant_from_string(piece->label)},
		{"alloc.total_size", CALI_TYPE_INT, cali_make_variant_from_int64(bytes)},
		{"alloc.uid", CALI_TYPE_UINT, cali_make_variant_from_uint(piece->uid)},
		{"alloc.address", CALI_TYPE_ADDR,
		 cali_make_variant(CALI_TYPE_ADDR, &piece->start, sizeof(piece->start))},
	};
	trm_attribute attributes[COUNT];
	struct trm_value values[COUNT];
	size_t count = 0;

	for (size_t i = 0; i < COUNT; i++) {
		cali_id_t id = cali_create_attribute(rows[i].name, rows[i].type, VALUE);

		if (id == CALI_INV_ID)
			continue;
		attributes[count] = own_number(id);
		values[count++] = own_value(rows[i].value);
	}
	own_host->push(&tracks, attributes, values, count);
}

PUBLIC void cali_datatracker_track_dimensional(const void *place, const char *label,
					       size_t element_size,
					       const size_t *dimensions,
					       size_t dimension_count)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct piece piece = {(uintptr_t)place, element_size, element_size, 0, NULL};

	if (!own_ready())
		return;
	own_tell_track(place, label, element_size, dimensions, dimension_count);
	if (!own_host->wanted(&tracks) && !own_host->wanted(&resolves))
		return;
	pthread_once(&once, watch_forks);
	for (size_t i = 0; i < dimension_count; i++)
		piece.size *= dimensions[i];
	piece.label = strdup(label ? label : "");
	if (!piece.label)
		return;
	if (insert(&piece))
		say(&piece, "mem.alloc", (int64_t)piece.size);
	else
		free(piece.label);
}

PUBLIC void cali_datatracker_track(const void *place, const char *label, size_t size)
{
	cali_datatracker_track_dimensional(place, label, 1, &size, 1);
}

PUBLIC void cali_datatracker_untrack(const void *place)
{
	struct piece piece;

	if (!own_ready())
		return;
	own_tell_untrack(place);
	/* Nothing was named: there is no lock to be had. */
	if (!take_out((uintptr_t)place, &piece))
		return;
	if (own_host->wanted(&tracks))
		say(&piece, "mem.free", -(int64_t)piece.size);
	free(piece.label);
}

/* Attributes whose values are addresses, by number; they stay. */
static bool is_address[(1 << 16) + 1];

void own_note_address(trm_attribute attribute)
{
	is_address[attribute] = true;
}

/* NAME#X, for what is said of the attribute X. */
static trm_attribute derived(const char *name, trm_attribute attribute,
			     cali_attr_type type)
{
	char text[256];
	cali_id_t id;

	snprintf(text, sizeof(text), "%s#%s", name,
		 cali_attribute_name(own_id(attribute)));
	id = cali_create_attribute(text, type, CALI_ATTR_ASVALUE);
	return own_number(id);
}

/* The piece that the address lies in; its label is copied, since the piece may go. */
static bool find_around(uint64_t address, struct piece *ret_piece, char *label,
			size_t size)
{
	bool found;
	size_t at;

	hold();
	at = count_before(address);
	found = at && address - pieces.items[at - 1].start < pieces.items[at - 1].size;
	if (found) {
		*ret_piece = pieces.items[at - 1];
		snprintf(label, size, "%s", ret_piece->label);
	}
	let_go();
	return found;
}

size_t own_resolve(trm_attribute attribute, uint64_t address, struct own_place *place)
{
	struct piece piece;

	if (attribute >= sizeof(is_address) || !is_address[attribute] ||
	    !own_host->wanted(&resolves) ||
	    !find_around(address, &piece, place->label, sizeof(place->label)))
		return 0;
	const struct {
		const char *name;
		cali_attr_type type;
		cali_variant_t value;
	} rows[OWN_PLACE_VALUES] = {
		{"alloc.label", CALI_TYPE_STRING,
		 cali_make_variant_from_string(place->label)},
		{"alloc.uid", CALI_TYPE_UINT, cali_make_variant_from_uint(piece.uid)},
		{"alloc.index", CALI_TYPE_UINT,
		 cali_make_variant_from_uint((address - piece.start) /
					     (piece.element_size + !piece.element_size))},
	};
	for (size_t i = 0; i < OWN_PLACE_VALUES; i++) {
		place->attributes[i] = derived(rows[i].name, attribute, rows[i].type);
		place->values[i] = own_value(rows[i].value);
		if (!place->attributes[i])
			return i;
	}
	return OWN_PLACE_VALUES;
}
