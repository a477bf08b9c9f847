#include "code/planner/flag_calls.h"

#include "base/cleanup.h"
#include "base/search.h"
#include "code/planner/blocks.h"
#include "x86/flags.h"

#include <string.h>

/* The most instructions that the search along the straight line reads. Most calls need
 * three. */
enum { STRAIGHT_INSTRUCTIONS = 24 };

enum { CALL = 0xe8 };

/* A function that is looked at. */
struct looking {
	struct plan_builder *builder;
	const struct code_segment *segment;
	uint32_t index; /* in image.functions */
	uint64_t start, end;
};

static void look_at(struct looking *looking, uint32_t index)
{
	const struct plan_builder *builder = looking->builder;
	const struct image_function *row = &builder->image->functions.items[index];

	looking->index = index;
	looking->start = looking->end = row->address;
	looking->segment = code_map_find(&builder->scan.map, row->address, row->size);
	if (looking->segment)
		looking->end += row->size;
}

/* Whether flags may be alive at the end of the straight line, an instruction that is not
 * plain; else `ret_next` is where control continues, 0: nowhere. `live`: the flags alive.
 */
static bool may_live_on(const struct looking *looking, const struct brief *brief,
			uint64_t behind, uint8_t live, uint64_t *ret_next)
{
	const struct plan_builder *builder = looking->builder;
	const bool part = builder->image->functions.items[looking->index].flags &
			  IMAGE_FUNCTION_COLD_PART;
	const uint8_t *bytes =
		looking->segment->bytes + (behind - looking->segment->address);
	uint64_t target;

	*ret_next = 0;
	switch (cfg_kind_of(brief)) {
	case CFG_PLAIN:
	case CFG_KERNEL:
		*ret_next = behind;
		return false;
	case CFG_CALL:
		target = behind + length_distance(bytes, brief);
		return cfg_flags_taken(&builder->scan, target) & live;
	case CFG_JUMP:
		target = behind + length_distance(bytes, brief);
		if (target - looking->start < looking->end - looking->start)
			*ret_next = target;
		else
			return part || cfg_flags_taken(&builder->scan, target) & live;
		return false;
	case CFG_CALL_INDIRECT:
	case CFG_RETURN:
	case CFG_STOP:
		return false;
	default:
		return true;
	}
}

/* Whether flags may be alive at an address in the function, by the straight line from
 * there. */
static bool may_be_alive(const struct looking *looking, uint64_t address)
{
	const struct code_segment *segment = looking->segment;
	uint8_t live = FLAGS_ALL;
	uint64_t next;

	for (int i = 0; i < STRAIGHT_INSTRUCTIONS; i++, address = next) {
		const uint8_t *bytes = segment->bytes + (address - segment->address);
		struct flags_effect effect;
		struct brief brief;

		if (address - looking->start >= looking->end - looking->start ||
		    !length_decode(bytes, looking->end - address, &brief))
			return true;
		effect = flags_effect(bytes, &brief);
		if (effect.read & live)
			return true;
		live &= ~effect.written;
		if (!live)
			return false;
		if (may_live_on(looking, &brief, address + brief.length, live, &next))
			return true;
		if (!next)
			return false;
	}
	return true;
}

/* Whether a function may be relocated whole at all. */
static bool is_concerned(const struct plan_builder *builder, uint32_t index)
{
	const struct image_function *row = &builder->image->functions.items[index];

	return builder->choices[index].wanted &&
	       builder->scan.traits[index] & SCAN_WHOLE &&
	       !(row->flags & IMAGE_FUNCTION_GO);
}

/* Looks at the function that holds an address; false if none does. */
static bool find_flags(struct looking *looking, uint64_t address)
{
	const struct image *image = looking->builder->image;
	size_t behind = search_first(image->functions.count, middle,
				     image->functions.items[middle].address <= address);

	if (!behind)
		return false;
	look_at(looking, (uint32_t)behind - 1);
	return address < looking->end;
}

/* Functions for which the straight lines behind the calls do not decide. */
static void look_behind_calls(struct plan_builder *builder, bool *doubtful)
{
	struct looking looking = {.builder = builder};

	vector_for_each (&builder->scan.calls, site) {
		uint64_t behind = *site + SCAN_CALL_LENGTH;

		if (*site - looking.start >= looking.end - looking.start &&
		    !find_flags(&looking, *site))
			continue;
		if (doubtful[looking.index] ||
		    looking.segment->bytes[*site - looking.segment->address] != CALL)
			continue;
		doubtful[looking.index] =
			behind < looking.end && may_be_alive(&looking, behind);
	}
	vector_for_each (&builder->scan.long_calls, site)
		if (find_flags(&looking, *site))
			doubtful[looking.index] = true;
}

/* Finds functions that may take flags, for call graphs. */
static void look_at_entries(struct plan_builder *builder, bool *doubtful)
{
	struct looking looking = {.builder = builder};

	for (uint32_t i = 0; i < builder->image->functions.count; i++) {
		if (doubtful[i] || !is_concerned(builder, i))
			continue;
		look_at(&looking, i);
		doubtful[i] = looking.end > looking.start &&
			      may_be_alive(&looking, looking.start);
	}
}

/* Examines the functions found since the last time to return flags, and their parts:
 * their last calls may return the flags. False if there were none. */
static bool look_at_found(struct plan_builder *builder, bool *seen)
{
	const uint32_t count = (uint32_t)builder->image->functions.count;
	scoped_free bool *found = memory_allocate(count * sizeof(*found));
	bool more = false;

	if (!builder->flags.returned)
		return false;
	memcpy(found, builder->flags.returned, count * sizeof(*found));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t owner = cold_parts_owner(builder->image, i);

		if (!found[owner] || seen[owner])
			continue;
		more = true;
		if (is_concerned(builder, i))
			blocks_note_flags(builder, i);
	}
	memcpy(seen, found, count * sizeof(*seen));
	return more;
}

void flag_calls_find(struct plan_builder *builder)
{
	const uint32_t count = (uint32_t)builder->image->functions.count;
	scoped_free bool *doubtful = memory_allocate_zeroed(count, sizeof(*doubtful));
	scoped_free bool *seen = memory_allocate_zeroed(count, sizeof(*seen));

	look_behind_calls(builder, doubtful);
	if (builder->request->graph)
		look_at_entries(builder, doubtful);
	for (uint32_t i = 0; i < count; i++) {
		bool part = builder->image->functions.items[i].flags &
			    IMAGE_FUNCTION_COLD_PART;

		if ((doubtful[i] || part) && is_concerned(builder, i))
			blocks_note_flags(builder, i);
	}
	while (look_at_found(builder, seen))
		;
}
