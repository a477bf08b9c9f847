#include "session/itself.h"

#include "base/text.h"

#include <emmintrin.h>
#include <string.h>

/* As memmem(3), but fast where the text's first two letters are rare together: it goes
 * over all constants of a file. */
static bool bytes_have(const uint8_t *bytes, size_t size, const char *text)
{
	size_t length = strlen(text), at = 0;
	const __m128i first = _mm_set1_epi8(text[0]), second = _mm_set1_epi8(text[1]);

	for (; at + length + 16 <= size; at += 16) {
		__m128i here = _mm_loadu_si128((const __m128i_u *)(bytes + at));
		__m128i behind = _mm_loadu_si128((const __m128i_u *)(bytes + at + 1));
		__m128i both = _mm_and_si128(_mm_cmpeq_epi8(here, first),
					     _mm_cmpeq_epi8(behind, second));

		for (unsigned found = (unsigned)_mm_movemask_epi8(both); found;
		     found &= found - 1)
			if (!memcmp(bytes + at + __builtin_ctz(found), text, length))
				return true;
	}
	return memmem(bytes + at, size - at, text, length) != NULL;
}

/* Whether the file has `text` in its bytes for [start, end) of a segment. */
static bool segment_has(const struct image *image, uint64_t start, uint64_t end,
			const char *text)
{
	const uint8_t *bytes = NULL;

	if (start < end)
		bytes = image_bytes_at(image, start, end - start);
	return bytes && bytes_have(bytes, end - start, text);
}

/* Whether a constant of the file holds `text`. Linkers may put constants into one segment
 * with the code: there, before the first function or behind the last. */
static bool file_has(const struct image *image, const char *text)
{
	size_t count = image->functions.count;
	const struct image_function *functions = image->functions.items;

	vector_for_each (&image->segments, segment) {
		uint64_t start = segment->address, end = start + segment->file_size;
		uint64_t first = end, last = end;

		if (segment->executable && count) {
			first = functions[0].address;
			last = functions[count - 1].address;
		}
		if (first < start || first > end)
			first = end;
		if (last < start || last > end)
			last = end;
		if (segment_has(image, start, first, text) ||
		    segment_has(image, last, end, text))
			return true;
	}
	return false;
}

bool itself_looks_up(const char *name, const struct image *image)
{
	return !text_glob("libc.so*", name) && !text_glob("ld-*", name) &&
	       file_has(image, "/proc/self/maps");
}
