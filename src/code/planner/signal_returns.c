#include "code/planner/signal_returns.h"

#include "code/scan/code_map.h"
#include "image/contents.h"

#include <string.h>

enum { ALIGNMENT = 16 };

/* lea restorer(%rip), %rbx; jmp *%gs:returns. No program has that. */
static const uint8_t lea[] = {0x48, 0x8d, 0x1d}, jump[] = {0x65, 0xff, 0x24, 0x25};
enum { LEA = 7, RETURN = 15 }; /* bytes */

static bool write_return(struct plan_builder *builder, uint64_t restorer)
{
	struct emitter emitter;
	uint64_t here;

	vector_reserve(&builder->plan->code, builder->plan->code.count + 2 * ALIGNMENT);
	emitter = builder_emitter(builder);
	here = emit_here(&emitter);
	emit_bytes(&emitter, lea, sizeof(lea));
	emit_relative(&emitter, restorer, 0);
	emit_bytes(&emitter, jump, sizeof(jump));
	emit_word32(&emitter, builder->request->hook_layout.returns);
	builder->plan->code.count = emitter.count;
	return !emitter.full && !emitter.reason &&
	       builder_patch_jump(builder_add_patch(&builder->out.islands, restorer, 0,
						    BUILDER_JUMP),
				  0, here);
}

void signal_returns_write(struct plan_builder *builder)
{
	/* mov $SYS_rt_sigreturn, %rax; syscall */
	static const uint8_t code[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};

	if (!builder->request->hook_layout.returns)
		return;
	vector_for_each (&builder->image->untouchable, range) {
		size_t size = range->end - range->start;
		const uint8_t *bytes = image_bytes_at(builder->image, range->start, size);
		const uint8_t *found =
			bytes ? memmem(bytes, size, code, sizeof(code)) : NULL;

		if (found &&
		    !ranges_meet(builder->image->checked.items,
				 builder->image->checked.count, range->start,
				 range->end) &&
		    !write_return(builder, range->start + (uint64_t)(found - bytes)))
			builder->out.islands.count--;
	}
}

bool plan_in_return(const struct plan *plan, uint32_t code_offset, uint64_t *ret_restorer)
{
	static const uint8_t before[] = {0, LEA};

	for (size_t i = 0; i < sizeof(before); i++) {
		uint32_t start = code_offset - before[i];
		const uint8_t *code = plan->code.items + start;
		int32_t distance;

		if (code_offset < before[i] || plan->code.count < RETURN ||
		    start > plan->code.count - RETURN || memcmp(code, lea, sizeof(lea)) ||
		    memcmp(code + LEA, jump, sizeof(jump)))
			continue;
		memcpy(&distance, code + sizeof(lea), sizeof(distance));
		*ret_restorer =
			plan->code_address + start + LEA + (uint64_t)(int64_t)distance;
		return true;
	}
	return false;
}
