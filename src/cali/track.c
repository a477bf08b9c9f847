/*
 * Memory that the program has named. Where a channel has the service alloc, a snapshot
 * says when a piece is named and when its name is taken away, and, if it is asked for,
 * addresses in other snapshots are said by the pieces that they lie in.
 */
#include "cali/track.h"

#include "cali/annotate.h"
#include "cali/own.h"
#include "cali/pieces.h"
#include "cali/variant.h"
#include "cali/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct trm_runtime_wish tracks = {"alloc", "ALLOC_TRACK_ALLOCATIONS", true,
					       NULL},
				     tracks_heap = {"alloc", "ALLOC_TRACK_ALLOCATIONS",
						    true, "sysalloc"},
				     resolves = {"alloc", "ALLOC_RESOLVE_ADDRESSES",
						 false, NULL},
				     resolves_heap = {"alloc", "ALLOC_RESOLVE_ADDRESSES",
						      false, "sysalloc"};

/* `bytes`: less than 0 where the piece goes. */
static void report_piece(const struct piece *piece, const char *kind, int64_t bytes)
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
	own_host->push(piece->of_heap ? &tracks_heap : &tracks, attributes, values,
		       count);
}

PUBLIC void cali_datatracker_track_dimensional(const void *place, const char *label,
					       size_t element_size,
					       const size_t *dimensions,
					       size_t dimension_count)
{
	struct piece piece = {.start = (uintptr_t)place,
			      .size = element_size,
			      .element_size = element_size};
	char *copy;

	if (!own_ready())
		return;
	own_tell_track(place, label, element_size, dimensions, dimension_count);
	if (!own_host->wanted(&tracks) && !own_host->wanted(&resolves))
		return;
	for (size_t i = 0; i < dimension_count; i++)
		piece.size *= dimensions[i];
	piece.label = copy = strdup(label ? label : "");
	if (!copy)
		return;
	if (pieces_add(&piece))
		report_piece(&piece, "mem.alloc", (int64_t)piece.size);
	else
		free(copy);
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
	if (!pieces_take((uintptr_t)place, false, &piece))
		return;
	if (own_host->wanted(&tracks))
		report_piece(&piece, "mem.free", -(int64_t)piece.size);
	free((void *)(uintptr_t)piece.label);
}

/* A block goes that the service sysalloc saw. What the program named there stays. */
static void take_block(uint64_t start)
{
	struct piece piece;

	if (pieces_take(start, true, &piece) && own_host->wanted(&tracks_heap))
		report_piece(&piece, "mem.free", -(int64_t)piece.size);
}

static void note_freed(const void *block)
{
	if (!pieces_busy())
		take_block((uintptr_t)block);
}

/* A block that went unseen may have been there. */
static void note_allocated(const void *block, const char *label, size_t element_size,
			   size_t count)
{
	struct piece piece = {
		.start = (uintptr_t)block,
		.size = element_size * count,
		.element_size = element_size,
		.label = label,
		.of_heap = true,
	};

	if (pieces_busy() ||
	    (!own_host->wanted(&tracks_heap) && !own_host->wanted(&resolves_heap)))
		return;
	take_block(piece.start);
	if (pieces_add(&piece))
		report_piece(&piece, "mem.alloc", (int64_t)piece.size);
}

const struct trm_runtime_heap own_heap = {note_allocated, note_freed};

/* Attributes whose values are addresses, by number; they stay. */
static bool is_address[(1 << 16) + 1];

void own_note_address(trm_attribute attribute)
{
	is_address[attribute] = true;
}

/* The attribute NAME#X, which describes attribute X. */
static trm_attribute derived_attribute(const char *name, trm_attribute attribute,
				       cali_attr_type type)
{
	char text[256];
	cali_id_t id;

	snprintf(text, sizeof(text), "%s#%s", name,
		 cali_attribute_name(own_id(attribute)));
	id = cali_create_attribute(text, type, CALI_ATTR_ASVALUE);
	return own_number(id);
}

size_t own_resolve(trm_attribute attribute, uint64_t address, struct own_place *place)
{
	struct piece piece;

	if (attribute >= sizeof(is_address) || !is_address[attribute] ||
	    !own_host->wanted(&resolves) ||
	    !pieces_find(address, &piece, place->label, sizeof(place->label)))
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
		place->attributes[i] =
			derived_attribute(rows[i].name, attribute, rows[i].type);
		place->values[i] = own_value(rows[i].value);
		if (!place->attributes[i])
			return i;
	}
	return OWN_PLACE_VALUES;
}
