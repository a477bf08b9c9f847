#include "code/scan/padding.h"

#include "x86/length.h"

enum { ISLAND_SIZE = 5, BRIDGE_SIZE = 2, GAP_SIZE_MAX = 4096 };

void padding_init(struct padding *padding, const struct scan *scan,
		  const struct image *image)
{
	*padding = (struct padding){.scan = scan, .image = image};
	padding->gaps =
		memory_allocate_zeroed(image->functions.count, sizeof(*padding->gaps));
}

void padding_deinit(struct padding *padding)
{
	free(padding->gaps);
	vector_deinit(&padding->bridges);
	*padding = (struct padding){0};
}

static uint64_t end_of(const struct image_function *function)
{
	return function->address + function->size;
}

/* The start of the first range behind `address`, if before `limit`. */
static uint64_t next_start(const struct image_range *ranges, size_t count,
			   uint64_t address, uint64_t limit)
{
	size_t index = ranges_find(ranges, count, address);

	if (index == count || ranges[index].start >= limit)
		return limit;
	return ranges[index].start > address ? ranges[index].start : address;
}

/* The end of what may be padding: the next thing that the image knows of. */
static uint64_t gap_end(const struct padding *padding, uint32_t function,
			const struct code_segment *segment)
{
	const struct image *image = padding->image;
	uint64_t start = end_of(&image->functions.items[function]);
	uint64_t end = segment->address + segment->size;

	if (function + 1 < image->functions.count &&
	    image->functions.items[function + 1].address < end)
		end = image->functions.items[function + 1].address;
	end = next_start(image->cold_parts.items, image->cold_parts.count, start, end);
	end = next_start(image->plt.items, image->plt.count, start, end);
	return next_start(image->untouchable.items, image->untouchable.count, start, end);
}

/* Nops only, or also int3. */
static bool all_padding(const uint8_t *bytes, size_t size, bool traps)
{
	struct brief brief;

	for (size_t i = 0; i < size; i += brief.length)
		if (!length_decode(bytes + i, size - i, &brief) ||
		    brief.kind != BRIEF_NOP || (brief.opcode == 0xcc && !traps))
			return false;
	return true;
}

static struct padding_gap *gap_behind(struct padding *padding, uint32_t function)
{
	const struct image_function *before = &padding->image->functions.items[function];
	struct padding_gap *gap = &padding->gaps[function];
	uint8_t traits = padding->scan->traits[function];
	uint64_t start = end_of(before), end;
	const struct code_segment *segment;

	if (gap->known)
		return gap;
	gap->known = true;
	/* If the end is a guess, the bytes may be code. */
	if ((before->flags & IMAGE_FUNCTION_SIZE_GUESS) || !(traits & SCAN_WHOLE))
		return gap;
	gap->executed = !(traits & SCAN_CLOSED);
	segment = code_map_find(&padding->scan->map, start, 1);
	if (!segment)
		return gap;
	end = gap_end(padding, function, segment);
	if (end <= start || end - start > GAP_SIZE_MAX)
		return gap;
	if (code_map_is_reached(&padding->scan->map, start, end - start) ||
	    !all_padding(segment->bytes + (start - segment->address), end - start,
			 !gap->executed))
		return gap;
	if (gap->executed && end - start > BRIDGE_SIZE + 127)
		return gap;
	gap->size = (uint16_t)(end - start);
	return gap;
}

bool padding_extend(struct padding *padding, uint32_t function, size_t size)
{
	struct padding_gap *gap = gap_behind(padding, function);

	if (gap->executed || gap->front || size + gap->back > gap->size)
		return false;
	gap->front = (uint16_t)size;
	return true;
}

/* Leads control over padding that it would run through. */
static void add_bridge(struct padding *padding, uint32_t function,
		       struct padding_gap *gap)
{
	uint64_t start = end_of(&padding->image->functions.items[function]);

	gap->front = BRIDGE_SIZE;
	vector_push(
		&padding->bridges,
		((struct padding_bridge){.address = start,
					 .function = function,
					 .length = (uint8_t)(gap->size - BRIDGE_SIZE)}));
}

static bool take_from(struct padding *padding, uint32_t function, uint64_t low,
		      uint64_t high, uint64_t *ret_address)
{
	struct padding_gap *gap = gap_behind(padding, function);
	uint64_t start = end_of(&padding->image->functions.items[function]), last;
	bool bridge = gap->executed && !gap->front;
	size_t front = bridge ? BRIDGE_SIZE : gap->front;

	if (front + gap->back + ISLAND_SIZE > gap->size)
		return false;
	last = start + gap->size - gap->back - ISLAND_SIZE;
	if (last > high)
		last = high; /* the bytes behind it are given up */
	if (last < low || last < start + front)
		return false;
	if (bridge)
		add_bridge(padding, function, gap);
	gap->back = (uint16_t)(start + gap->size - last);
	*ret_address = last;
	return true;
}

bool padding_take_island(struct padding *padding, uint32_t function, uint64_t low,
			 uint64_t high, uint64_t *ret_address)
{
	const struct image_function *items = padding->image->functions.items;
	size_t count = padding->image->functions.count;

	for (size_t i = function; i < count && end_of(&items[i]) <= high; i++)
		if (take_from(padding, (uint32_t)i, low, high, ret_address))
			return true;
	for (size_t i = function; i-- > 0 && items[i + 1].address > low;)
		if (take_from(padding, (uint32_t)i, low, high, ret_address))
			return true;
	return false;
}
