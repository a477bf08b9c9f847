#include "code/scan/plt.h"

#include "code/scan/code_map.h"
#include "image/contents.h"
#include "image/find.h"
#include "image/image.h"

#include <string.h>

uint64_t plt_word(const struct image *image, uint64_t address)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	enum { BND = 0xf2, JUMP = 6 }; /* jmp *word(%rip) */
	const uint8_t *code = image_bytes_at(image, address, sizeof(endbr64) + 1 + JUMP);
	const uint8_t *start = code;
	int32_t distance;

	if (!code || !ranges_meet(image->plt.items, image->plt.count, address,
				  address + sizeof(endbr64) + 1 + JUMP))
		return 0;
	if (!memcmp(code, endbr64, sizeof(endbr64)))
		code += sizeof(endbr64);
	code += *code == BND;
	if (code[0] != 0xff || code[1] != 0x25)
		return 0;
	memcpy(&distance, code + 2, sizeof(distance));
	return address + (uint64_t)(code - start) + JUMP + (uint64_t)(int64_t)distance;
}

uint64_t plt_function(const struct image *image, uint64_t address)
{
	uint64_t word = image->links.count ? plt_word(image, address) : 0;
	const struct image_link *link = word ? image_link_at(image, word) : NULL;

	return link ? link->function : 0;
}
