#include "image/bytes.h"

#include <string.h>

bool image_slice(struct bytes bytes, uint64_t offset, uint64_t size,
		 struct bytes *ret_slice)
{
	if (offset > bytes.size || size > bytes.size - offset)
		return false;
	*ret_slice = (struct bytes){bytes.data + offset, (size_t)size};
	return true;
}

struct bytes image_cut_strings(struct bytes bytes)
{
	const uint8_t *last = bytes.size ? memrchr(bytes.data, 0, bytes.size) : NULL;

	bytes.size = last ? (size_t)(last - bytes.data) + 1 : 0;
	return bytes;
}
