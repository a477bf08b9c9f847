#include "image/contents.h"

const struct image_segment *image_segment_at(const struct image *image, uint64_t address)
{
	size_t low = 0, high = image->segments.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct image_segment *segment = &image->segments.items[middle];

		if (address < segment->address)
			high = middle;
		else if (address - segment->address >= segment->memory_size)
			low = middle + 1;
		else
			return segment;
	}
	return NULL;
}

struct bytes image_bytes_from(const struct image *image, uint64_t address)
{
	const struct image_segment *segment = image_segment_at(image, address);
	uint64_t inside = segment ? address - segment->address : 0;

	if (!segment || inside >= segment->file_size)
		return (struct bytes){0};
	return (struct bytes){image->bytes + segment->file_offset + inside,
			      (size_t)(segment->file_size - inside)};
}

const uint8_t *image_bytes_at(const struct image *image, uint64_t address, size_t size)
{
	struct bytes bytes = image_bytes_from(image, address);

	return size <= bytes.size ? bytes.data : NULL;
}
