#include "code/builder/beyond.h"

#include "code/plan/request.h"
#include "code/scan/plt.h"
#include "code/scan/return_use.h"
#include "image/contents.h"
#include "image/find.h"

#include <string.h>

enum { CALL = 0xe8, JUMP = 0xe9 };

/* The function that holds an address; functions.count: none does. */
static size_t function_around(const struct image *image, uint64_t address)
{
	const struct image_function *row = image_function_around(image, address);

	return row && address - row->address < row->size
		       ? (size_t)(row - image->functions.items)
		       : image->functions.count;
}

static enum return_use use_of(const struct plan_builder *builder, uint32_t index)
{
	const struct image_function *row = &builder->image->functions.items[index];

	return return_use_find(&builder->scan, builder->image, row->address, row->address,
			       row->address + row->size);
}

/* Whether something is new. */
static bool note_use(struct plan_builder *builder, size_t index)
{
	enum return_use use;

	if (index == builder->image->functions.count || builder->returns.uses[index])
		return false;
	use = use_of(builder, (uint32_t)index);
	builder->returns.uses[index] = (uint8_t)use;
	if (use && builder->returns.readers &&
	    builder->returns.readers[index] < RA_READER_OWN)
		builder->returns.readers[index] = RA_READER_OWN;
	return use != RETURN_USE_NONE;
}

/* How the target of a call uses its return address, also through the linkage table. */
static enum return_use use_at(const struct plan_builder *builder, uint64_t target)
{
	int64_t callee = code_map_function_at(&builder->scan.map, target);
	uint64_t function;

	if (callee < 0) {
		function = plt_function(builder->image, target);
		callee = function ? code_map_function_at(&builder->scan.map, function)
				  : -1;
	}
	return callee < 0 ? RETURN_USE_NONE : builder->returns.uses[callee];
}

/* Nothing may be written behind a call, whose return address this is, and which is made
 * by function `index`. */
static void mark_call(struct plan_builder *builder, size_t index, uint64_t behind,
		      enum return_use use)
{
	const struct image_function *row = &builder->image->functions.items[index];
	const struct code_segment *segment;
	size_t offset, end;

	if (use == RETURN_USE_NONE || index == builder->image->functions.count)
		return;
	segment = code_map_find(&builder->scan.map, row->address, row->size);
	if (!segment)
		return;
	if (use == RETURN_USE_NEXT) {
		segment_reach(segment, behind + 1);
		return;
	}
	builder->scan.traits[index] |= SCAN_BEYOND;
	offset = behind - segment->address;
	end = row->address + row->size - segment->address;
	if (offset < end)
		bits_set(segment->taken, offset, end);
}

/* The displacement that a call or jump of scan.calls and its like ends in. */
static bool read_branch(const struct plan_builder *builder, uint64_t address,
			struct brief *ret_brief, uint64_t *ret_target)
{
	const struct code_segment *segment =
		code_map_find(&builder->scan.map, address, 1);
	size_t offset;

	if (!segment)
		return false;
	offset = address - segment->address;
	if (!length_decode(segment->bytes + offset, segment->size - offset, ret_brief))
		return false;
	*ret_target =
		address + ret_brief->length +
		length_distance(segment->bytes + offset + ret_brief->length, ret_brief);
	return true;
}

/* Use of the return address by calls to a place that no function begins at: inside of the
 * function that makes the call, which may compute an address, or code that no table
 * knows. */
static enum return_use use_inside(const struct plan_builder *builder, size_t index,
				  uint64_t target)
{
	const struct image *image = builder->image;
	const struct image_function *row = &image->functions.items[index];

	if (index == image->functions.count || target == row->address)
		return RETURN_USE_NONE;
	if (target - row->address < row->size)
		return return_use_find(&builder->scan, image, target, row->address,
				       row->address + row->size);
	if (!code_map_find(&builder->scan.map, target, 1) ||
	    ranges_meet(image->plt.items, image->plt.count, target, target + 1) ||
	    plt_word(image, target))
		return RETURN_USE_NONE;
	return return_use_find(&builder->scan, image, target, target, target + 1);
}

static void look_at_call(struct plan_builder *builder, uint64_t address, bool any)
{
	const struct image *image = builder->image;
	struct brief brief;
	uint64_t target;
	size_t index;
	enum return_use use = RETURN_USE_NONE;

	if (!read_branch(builder, address, &brief, &target) || brief.kind != BRIEF_CALL32)
		return;
	if (any)
		use = use_at(builder, target);
	if (!use && code_map_function_at(&builder->scan.map, target) < 0) {
		index = function_around(image, address);
		mark_call(builder, index, address + brief.length,
			  use_inside(builder, index, target));
		return;
	}
	if (use)
		mark_call(builder, function_around(image, address),
			  address + brief.length, use);
}

/* Marks functions that jump to such a function as well. Returns whether any was marked.
 */
static bool follow_jump(struct plan_builder *builder, uint64_t address)
{
	struct brief brief;
	uint64_t target;

	return read_branch(builder, address, &brief, &target) &&
	       (brief.kind == BRIEF_JUMP8 || brief.kind == BRIEF_JUMP32) &&
	       use_at(builder, target) &&
	       note_use(builder, function_around(builder->image, address));
}

static bool follow_jumps(struct plan_builder *builder)
{
	bool found = false;

	vector_for_each (&builder->scan.calls, address)
		found |= follow_jump(builder, *address);
	vector_for_each (&builder->scan.short_jumps, address)
		found |= follow_jump(builder, *address);
	return found;
}

/* Calls through words that the loader fills in: call *word(%rip). */
static void look_at_words(struct plan_builder *builder, size_t index)
{
	const struct image_function *row = &builder->image->functions.items[index];
	const uint8_t *bytes = image_bytes_at(builder->image, row->address, row->size);
	const struct image_link *link;
	struct brief brief;

	for (uint64_t at = 0; bytes && at < row->size; at += brief.length) {
		if (!length_decode(bytes + at, row->size - at, &brief))
			return;
		if (brief.kind != BRIEF_CALL_INDIRECT || !brief.relative)
			continue;
		link = image_link_at(
			builder->image,
			row->address + at + brief.length +
				length_displacement(bytes + at + brief.relative, 4));
		if (link)
			mark_call(builder, index, row->address + at + brief.length,
				  use_at(builder, link->function));
	}
}

static bool has_links(const struct plan_builder *builder)
{
	vector_for_each (&builder->image->links, link)
		if (use_at(builder, link->function))
			return true;
	return false;
}

/* Finds such functions among the suspects and all direct calls of them, before any patch
 * is chosen. Fills in builder->returns.uses. */
static void find_beyond(struct plan_builder *builder,
			const struct ra_readers_suspects *suspects)
{
	const size_t count = builder->image->functions.count;
	bool any = false;

	builder->returns.uses = memory_allocate_zeroed(count + 1, 1);
	vector_for_each (suspects, index)
		any |= note_use(builder, *index);
	while (any && follow_jumps(builder))
		;
	vector_for_each (&builder->scan.calls, address)
		look_at_call(builder, *address, any);
	vector_for_each (&builder->scan.long_calls, address)
		look_at_call(builder, *address, any);
	if (!any || !has_links(builder))
		return;
	for (size_t i = 0; i < count; i++)
		look_at_words(builder, i);
}

void beyond_find_one(struct plan_builder *builder, uint32_t index, uint32_t caller)
{
	const struct image_function *row = &builder->image->functions.items[caller];
	const uint8_t *bytes = image_bytes_at(builder->image, row->address, row->size);
	struct brief brief;

	if (!builder->returns.uses[index])
		note_use(builder, index);
	for (uint64_t at = 0; builder->returns.uses[index] && bytes && at < row->size;
	     at += brief.length) {
		uint64_t end, target;

		if (!length_decode(bytes + at, row->size - at, &brief))
			return;
		end = row->address + at + brief.length;
		if (brief.kind != BRIEF_CALL32)
			continue;
		target = end + length_distance(bytes + at + brief.length, &brief);
		if (code_map_function_at(&builder->scan.map, target) == index)
			mark_call(builder, caller, end, builder->returns.uses[index]);
	}
}

/* Notes the function that begins at an address that code has taken. */
static void note_named(struct plan_builder *builder, uint64_t address)
{
	int64_t function = code_map_function_at(&builder->scan.map, address);

	if (function >= 0)
		builder->returns.named[function] = true;
}

/* Finds the functions whose addresses other instructions than branches have: in one walk
 * over all code, since large programs ask for many functions. */
static void find_named(struct plan_builder *builder)
{
	const struct image *image = builder->image;
	const bool fixed = image->type == IMAGE_EXECUTABLE;
	struct brief brief;

	builder->returns.named =
		memory_allocate_zeroed(image->functions.count + 1, sizeof(bool));
	vector_for_each (&image->functions, row) {
		const uint8_t *bytes = image_bytes_at(image, row->address, row->size);

		for (uint64_t at = 0; bytes && at < row->size; at += brief.length) {
			const uint8_t *code = bytes + at;

			if (!length_decode(code, row->size - at, &brief))
				break;
			if (brief.relative)
				note_named(builder,
					   row->address + at + brief.length +
						   length_displacement(
							   code + brief.relative, 4));
			if (fixed && brief.immediate == 4 && brief.kind != BRIEF_CALL32)
				note_named(builder, (uint32_t)length_displacement(
							    code + brief.length - 4, 4));
		}
	}
}

/* Whether the code names a function's address, in a way other than by a branch. */
static bool is_named(struct plan_builder *builder, uint64_t address)
{
	int64_t function = code_map_function_at(&builder->scan.map, address);

	if (!builder->returns.named)
		find_named(builder);
	return function >= 0 && builder->returns.named[function];
}

bool beyond_needs_hook(struct plan_builder *builder, uint32_t index)
{
	const struct image_function *row = &builder->image->functions.items[index];
	const uint32_t known = IMAGE_FUNCTION_EXPORTED | IMAGE_FUNCTION_REFERENCED |
			       IMAGE_FUNCTION_IFUNC;

	return builder->returns.uses[index] == RETURN_USE_BEYOND &&
	       ((row->flags & known) || is_named(builder, row->address));
}

void beyond_find_readers(struct plan_builder *builder)
{
	const struct plan_request *request = builder->request;
	struct ra_readers_suspects suspects = {0};
	bool all = (request->depth != PLAN_ENTRIES || request->copy_calls) &&
		   !request->hook_lazy;

	if (all)
		builder->returns.readers = ra_readers_find(builder->image, &suspects);
	else
		ra_readers_suspect(builder->image, &suspects);
	if (request->hook_lazy)
		builder->returns.readers = ra_readers_find_first(builder->image);
	find_beyond(builder, &suspects);
	vector_deinit(&suspects);
}
