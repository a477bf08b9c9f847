#include "code/relocate/plt_stubs.h"

#include "image/find.h"

#include <string.h>

bool plt_stubs_find(const struct whole_calls *calls, uint64_t target, uint64_t *ret_word)
{
	static const uint8_t marker[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
	enum { LENGTH = 6, BND = 0xf2 };
	const struct code_segment *segment =
		calls ? code_map_find(calls->map, target, 2 * LENGTH) : NULL;
	uint64_t end = target + LENGTH;
	const uint8_t *bytes;
	int32_t distance;

	if (!segment || code_map_function_at(calls->map, target) >= 0)
		return false;
	bytes = segment->bytes + (target - segment->address);
	if (!memcmp(bytes, marker, sizeof(marker))) {
		bytes += sizeof(marker);
		end += sizeof(marker);
	}
	if (*bytes == BND) {
		bytes++;
		end++;
	}
	if (bytes[0] != 0xff || bytes[1] != 0x25)
		return false;
	memcpy(&distance, bytes + 2, sizeof(distance));
	*ret_word = end + (uint64_t)(int64_t)distance;
	return true;
}

bool plt_stubs_is_link(const struct whole_calls *calls, uint64_t word)
{
	const struct image_link *link;
	int64_t callee;

	if (!calls->counted)
		return false;
	link = image_link_at(calls->image, word);
	callee = link ? code_map_function_at(calls->map, link->function) : -1;
	return callee >= 0 && calls->counted[callee];
}
