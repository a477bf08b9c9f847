#include "probe/aim.h"

#include "base/cleanup.h"
#include "image/contents.h"
#include "image/find.h"
#include "probe/module.h"
#include "x86/length.h"

#include <inttypes.h>

static bool is_branch(const struct brief *brief)
{
	return brief->kind == BRIEF_JUMP8 || brief->kind == BRIEF_CONDITION8 ||
	       brief->kind == BRIEF_JUMP32 || brief->kind == BRIEF_CONDITION32;
}

bool probe_aim_misses(const struct image *image, const struct image_function *function,
		      uint64_t address, uint64_t *ret_before, uint64_t *ret_behind)
{
	const uint8_t *bytes = image_bytes_at(image, function->address, function->size);
	const uint64_t wanted = address - function->address;
	struct brief brief;

	*ret_before = *ret_behind = 0;
	for (uint64_t at = 0; at < function->size; at += brief.length) {
		if (!bytes || !length_decode(bytes + at, function->size - at, &brief) ||
		    at == wanted)
			return false;
		if (is_branch(&brief) &&
		    at + brief.length +
				    (uint64_t)length_distance(bytes + at + brief.length,
							      &brief) ==
			    wanted)
			return false;
		if (at < wanted && wanted < at + brief.length) {
			*ret_before = function->address + at;
			*ret_behind = *ret_before + brief.length;
		}
	}
	return *ret_before != 0;
}

void probe_aim_describe(const struct image *image, uint64_t address, struct text *text)
{
	const struct image_function *before = image_function_around(image, address),
				    *next = image->functions.items,
				    *end = next + image->functions.count;

	while (next < end && next->address <= address)
		next++;
	if (before) {
		scoped_free char *name = probe_function_name(image, before);

		text_format(text, ": it lies behind %s, which ends at 0x%" PRIx64, name,
			    before->address + before->size);
	}
	if (next < end) {
		scoped_free char *name = probe_function_name(image, next);

		text_format(text, "%s in front of %s at 0x%" PRIx64,
			    before ? ", and" : ": it lies", name, next->address);
	}
}
