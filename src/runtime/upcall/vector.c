/*
 * Vector registers in the frame of a signal. The kernel writes what XSAVE writes, in the
 * standard form: Intel SDM, volume 1, 13.4, behind the 512 bytes of FXSAVE the header,
 * whose first word has a bit for each component; one without is as after a reset: zero.
 */
#include "runtime/upcall/state.h"

#include <cpuid.h>
#include <string.h>

enum {
	FXSAVE_BYTES = 512,
	XMM_OFFSET = 160,
	SOFTWARE_OFFSET = 464, /* asm/sigcontext.h: struct _fpx_sw_bytes */
	SOFTWARE_MAGIC = 0x46505853,
};
enum component { SSE = 1, AVX = 2, ZMM_HIGH = 6, ZMM_MORE = 7 };

struct software_bytes {
	uint32_t magic, extended_size;
	uint64_t features;
	uint32_t state_size;
};

/* The parts of a register, from low bytes to high ones; what a part is in. */
struct part {
	enum component component;
	size_t at, size; /* in the component; of the register */
};

/* Where a component begins; 0: the processor has none. Its size in bytes. */
static size_t find_component(const char *area, enum component component, size_t *ret_size)
{
	struct software_bytes software;
	unsigned eax, ebx, ecx, edx;

	if (component == SSE) {
		*ret_size = 256;
		return XMM_OFFSET;
	}
	memcpy(&software, area + SOFTWARE_OFFSET, sizeof(software));
	if (software.magic != SOFTWARE_MAGIC ||
	    !(software.features & 1ull << component) ||
	    !__get_cpuid_count(13, component, &eax, &ebx, &ecx, &edx) ||
	    ebx + eax > software.state_size)
		return 0;
	*ret_size = eax;
	return ebx;
}

static size_t list_parts(uint32_t number, size_t size, struct part *parts)
{
	if (number > 15) {
		parts[0] = (struct part){ZMM_MORE, (number - 16) * 64ul, size};
		return 1;
	}
	parts[0] = (struct part){SSE, number * 16ul, 16};
	parts[1] = (struct part){AVX, number * 16ul, 16};
	parts[2] = (struct part){ZMM_HIGH, number * 32ul, 32};
	return size == 16 ? 1 : size == 32 ? 2 : 3;
}

/* `to`: a part is read; else `from`, which is written. */
static bool move_part(char *area, const struct part *part, char *to, const char *from)
{
	uint64_t present, bit = 1ull << part->component;
	size_t size, start = find_component(area, part->component, &size);

	if (!start)
		return false;
	memcpy(&present, area + FXSAVE_BYTES, sizeof(present));
	if (((const struct software_bytes *)(area + SOFTWARE_OFFSET))->magic !=
	    SOFTWARE_MAGIC)
		present = bit;
	if (to && present & bit)
		memcpy(to, area + start + part->at, part->size);
	if (to && !(present & bit))
		memset(to, 0, part->size);
	if (to)
		return true;
	if (!(present & bit)) {
		memset(area + start, 0, size);
		present |= bit;
		memcpy(area + FXSAVE_BYTES, &present, sizeof(present));
	}
	memcpy(area + start + part->at, from, part->size);
	return true;
}

static bool move_register(const struct trm_upcall *upcall, uint32_t number, size_t size,
			  char *to, const char *from)
{
	char *area = (char *)upcall->context->uc_mcontext.fpregs;
	struct part parts[3];
	size_t count, unused;

	if (!area || number > 31 || (size != 16 && size != 32 && size != 64))
		return false;
	count = list_parts(number, size, parts);
	for (size_t i = 0; i < count; i++)
		if (!find_component(area, parts[i].component, &unused))
			return false;
	for (size_t i = 0, at = 0; i < count; at += parts[i++].size)
		move_part(area, &parts[i], to ? to + at : NULL, from ? from + at : NULL);
	return true;
}

__attribute__((visibility("default"))) bool
trm_upcall_read_vector(const struct trm_upcall *upcall, uint32_t number, void *value,
		       size_t size)
{
	return move_register(upcall, number, size, value, NULL);
}

__attribute__((visibility("default"))) bool
trm_upcall_write_vector(const struct trm_upcall *upcall, uint32_t number,
			const void *value, size_t size)
{
	return move_register(upcall, number, size, NULL, value);
}
