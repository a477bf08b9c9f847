#include "code/scan/dead_registers.h"

#include "image/contents.h"
#include "image/find.h"
#include "x86/decode.h"
#include "x86/length.h"

enum { RAX = 0 };

/* Instructions that are looked at for a function, and ways that lead to them. */
enum { LOOKED_AT = 64, WAYS = 12 };

enum { INSTRUCTION_MAX = 15 };

/* rax is dead at the entry of `function` only if it is at that of `callee`. */
struct need {
	uint32_t function, callee;
};

struct search {
	const struct image *image;
	struct VECTOR(struct need) needs;
	uint32_t function;     /* that is looked at */
	uint64_t starts[WAYS]; /* where ways in it begin */
	unsigned count;        /* of these */
	unsigned left;         /* instructions that may still be looked at */
};

static bool add_way(struct search *search, uint64_t start)
{
	for (unsigned i = 0; i < search->count; i++)
		if (search->starts[i] == start)
			return true;
	if (search->count == WAYS)
		return false;
	search->starts[search->count++] = start;
	return true;
}

/* Whether a callee is known, and so may overwrite it. */
static bool add_need(struct search *search, uint64_t callee)
{
	const size_t index = image_function_at(search->image, callee);

	if (index == search->image->functions.count)
		return false;
	vector_push(&search->needs, ((struct need){search->function, (uint32_t)index}));
	return true;
}

static bool decode_at(const struct search *search, uint64_t address,
		      struct instruction *ret_row)
{
	const uint8_t *code = image_bytes_at(search->image, address, INSTRUCTION_MAX);
	struct brief brief;

	return code && length_decode(code, INSTRUCTION_MAX, &brief) &&
	       brief.kind != BRIEF_STOP &&
	       decode_instruction(code, INSTRUCTION_MAX, address, ret_row) &&
	       !ret_row->fixed;
}

/* From an address on up to where rax is overwritten, or other ways begin; false: it may
 * be read, or kept. */
static bool follow_code(struct search *search, uint64_t address)
{
	struct instruction row;

	for (; search->left && decode_at(search, address, &row); search->left--) {
		enum decode_use use = decode_effect(row.bytes, row.length, RAX);

		if (use != DECODE_UNUSED)
			return use == DECODE_OVERWRITTEN;
		if (row.kind == INSTRUCTION_CALL)
			return add_need(search, row.target);
		if (row.kind == INSTRUCTION_JUMP)
			return add_way(search, row.target);
		if (row.kind == INSTRUCTION_CONDITION && !add_way(search, row.target))
			return false;
		if (row.kind != INSTRUCTION_PLAIN && row.kind != INSTRUCTION_CONDITION)
			return false;
		address += row.length;
	}
	return false;
}

/* As far as its callees allow it. A loop is left by some other way, or never. */
static bool is_dead(struct search *search)
{
	search->starts[0] = search->image->functions.items[search->function].address;
	search->count = 1;
	search->left = LOOKED_AT;
	for (unsigned i = 0; i < search->count; i++)
		if (!follow_code(search, search->starts[i]))
			return false;
	return true;
}

/* A function that returns has finitely many nested calls, and the innermost ones need
 * nothing: so all that is not refuted is true, also among functions that call each other.
 */
static void refute_callers(const struct search *search, bool *dead)
{
	bool changed = true;

	while (changed) {
		changed = false;
		vector_for_each (&search->needs, need) {
			if (!dead[need->function] || dead[need->callee])
				continue;
			dead[need->function] = false;
			changed = true;
		}
	}
}

bool *dead_registers_find(const struct image *image)
{
	struct search search = {.image = image};
	const size_t count = image->functions.count;
	bool *dead = memory_allocate_zeroed(count + 1, sizeof(*dead));

	/* The loader writes to the code: it is not what the file has. */
	for (size_t i = 0; !image->text_relocations && i < count; i++) {
		search.function = (uint32_t)i;
		dead[i] = is_dead(&search);
	}
	refute_callers(&search, dead);
	vector_deinit(&search.needs);
	return dead;
}
