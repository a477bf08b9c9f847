#include "sample/call_site.h"

#include <string.h>

size_t sample_code_bytes(struct sample_processes *processes, uint32_t image,
			 uint64_t address, const uint8_t **ret_bytes)
{
	struct sample_map map;
	const struct sample_module *module;
	struct headers headers;

	if (!sample_processes_place(processes, image, address, &map))
		return 0;
	module = processes->modules.items.items[map.module];
	if (!module->bytes || !headers_open(module->bytes, module->size, &headers))
		return 0;
	return headers_bytes(&headers, address + map.delta, ret_bytes);
}

bool sample_is_after_call(struct sample_processes *processes, uint32_t image,
			  uint64_t address, uint64_t *ret_target)
{
	enum { DIRECT = 5, LONGEST = 7 };
	const uint8_t *code;
	int32_t distance;

	if (ret_target)
		*ret_target = 0;
	if (sample_code_bytes(processes, image, address - LONGEST, &code) < LONGEST)
		return false;
	if (code[LONGEST - DIRECT] == 0xe8) {
		memcpy(&distance, code + LONGEST - 4, sizeof(distance));
		if (ret_target)
			*ret_target = address + (uint64_t)(int64_t)distance;
		return true;
	}
	/* Through a register or memory: 0xff with 2 in the middle bits that follow. */
	for (int size = 2; size <= LONGEST; size++)
		if (code[LONGEST - size] == 0xff &&
		    (code[LONGEST - size + 1] & 0x38) == 0x10)
			return true;
	return false;
}
