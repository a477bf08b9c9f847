#include "code/relocate/labels.h"

#include "base/cleanup.h"
#include "base/search.h"
#include "code/relocate/switches.h"
#include "image/constants.h"
#include "x86/decode.h"

#include <string.h>

enum {
	LOOK_BACK = 24,   /* instructions between a jump and what gets its target */
	WORDS_MAX = 4096, /* of a table */
	BEHIND = 16,      /* words behind the last label that are copied, too */
	LABELS_MIN = 2,
};

static bool is_leader(const struct cfg *cfg, const struct cfg_instruction *row)
{
	return cfg->block_of.items[row->offset] == CFG_LEADER;
}

/* Whether the operand of the jump is computed, as far as the straight code in front of it
 * tells: it is a sum, or comes from the frame, where a sum may have been stored. */
static bool is_computed(const struct cfg *cfg, size_t index)
{
	const struct cfg_instruction *rows = cfg->instructions.items;
	int wanted = DECODE_TARGET;

	for (size_t i = index; index - i < LOOK_BACK; i--) {
		switch (decode_source(cfg->bytes + rows[i].offset, rows[i].length,
				      &wanted)) {
		case DECODE_KEPT:
		case DECODE_MOVED:
			break;
		case DECODE_LOADED:
			return false;
		default:
			return true;
		}
		if (!i || is_leader(cfg, &rows[i]) || rows[i - 1].kind != CFG_PLAIN)
			return false;
	}
	return false;
}

/* Whether an instruction names a place in the function, from which others could be
 * computed. */
static bool names_place(const struct cfg *cfg, const struct cfg_instruction *row,
			bool fixed)
{
	bool moves = !row->map && (row->opcode == 0xc7 || row->opcode == 0x68 ||
				   (row->opcode & 0xf8) == 0xb8);
	uint32_t constant;

	if (row->relative && !row->map && row->opcode == 0x8d)
		return row->target - cfg->address < cfg->size;
	if (!fixed || row->kind != CFG_PLAIN || !moves || row->length < 5)
		return false;
	memcpy(&constant, cfg->bytes + row->offset + row->length - sizeof(constant),
	       sizeof(constant));
	return constant - cfg->address < cfg->size &&
	       cfg->block_of.items[constant - cfg->address] == CFG_LEADER;
}

bool labels_are_words(const struct cfg *cfg, bool fixed)
{
	for (size_t i = 0; i < cfg->instructions.count; i++) {
		const struct cfg_instruction *row = &cfg->instructions.items[i];

		if (names_place(cfg, row, fixed) ||
		    (row->kind == CFG_TAIL_INDIRECT && is_computed(cfg, i)))
			return false;
	}
	return true;
}

/* A walk over all instructions at which a register may hold the address of a table, or of
 * a label that was loaded from one. */
struct tracing {
	const struct cfg *cfg;
	int number; /* of the register */
	bool label; /* it holds that of a label */
	bool jumped,
		other; /* the address was used as it should be, or in any other way */
	uint32_t *open, open_count; /* blocks at whose start it holds it */
	bool *seen;                 /* by block */
};

static bool is_good(const struct cfg *cfg, uint32_t i, int number, bool label);

static void open_block(struct tracing *tracing, uint32_t block)
{
	if (block == CFG_OUT || tracing->seen[block])
		return;
	tracing->seen[block] = true;
	tracing->open[tracing->open_count++] = block;
}

/* Labels and landing pads. Who comes to the start of the function has called it. */
static void open_exposed(struct tracing *tracing)
{
	for (uint32_t i = 1; i < tracing->cfg->blocks.count; i++)
		if (tracing->cfg->blocks.items[i].exposed)
			open_block(tracing, i);
}

enum { RAX = 0, RBX = 3, RBP = 5, R12 = 12 };

/* Whether a register keeps its value across a call: callees preserve some, receive no
 * address in rax, and may receive one in any other. */
static bool passes_call(struct tracing *tracing)
{
	int number = tracing->number;
	bool kept = number == RBX || number == RBP || number >= R12;

	tracing->other |= !kept && number != RAX;
	return kept;
}

/* Whether the register still holds the address behind an instruction. */
static bool trace_instruction(struct tracing *tracing, uint32_t i)
{
	const struct cfg *cfg = tracing->cfg;
	const struct cfg_instruction *row = &cfg->instructions.items[i];
	bool jumps = row->kind == CFG_TAIL_INDIRECT;
	int loaded;
	enum decode_use use = decode_use(cfg->bytes + row->offset, row->length,
					 tracing->number, &loaded);
	bool good = tracing->label ? use == DECODE_USED && jumps
				   : use == DECODE_INDEXED &&
					     (jumps || is_good(cfg, i + 1, loaded, true));

	tracing->jumped |= good;
	tracing->other |= !good && (use == DECODE_USED || use == DECODE_INDEXED);
	tracing->other |=
		row->kind == CFG_RETURN ||
		(row->kind == CFG_JUMP && cfg_block_at(cfg, row->target) == CFG_OUT);
	if (jumps)
		open_exposed(tracing);
	if (row->kind == CFG_CALL || row->kind == CFG_CALL_INDIRECT ||
	    row->kind == CFG_KERNEL) {
		open_exposed(tracing);
		return passes_call(tracing);
	}
	return use != DECODE_OVERWRITTEN;
}

static void trace_block(struct tracing *tracing, uint32_t block, uint32_t first)
{
	const struct cfg *cfg = tracing->cfg;
	const struct cfg_block *row = &cfg->blocks.items[block];

	for (uint32_t i = first; i < row->first + row->count; i++)
		if (!trace_instruction(tracing, i))
			return;
	for (uint32_t i = 0; i < row->edge_count; i++)
		open_block(tracing, cfg->edges.items[row->first_edge + i].to);
}

static uint32_t block_with(const struct cfg *cfg, uint32_t instruction)
{
	return (uint32_t)search_first(cfg->blocks.count, middle,
				      cfg->blocks.items[middle].first <= instruction) -
	       1;
}

/* Whether the address that a register holds from instruction `i` on does nothing but be
 * indexed for labels, or, of a label, be jumped to. */
static bool is_good(const struct cfg *cfg, uint32_t i, int number, bool label)
{
	scoped_free uint32_t *open = memory_allocate(cfg->blocks.count * sizeof(*open));
	scoped_free bool *seen = memory_allocate_zeroed(cfg->blocks.count, sizeof(*seen));
	struct tracing tracing = {
		.cfg = cfg, .number = number, .label = label, .open = open, .seen = seen};

	if (i == cfg->instructions.count || number < 0)
		return false;
	trace_block(&tracing, block_with(cfg, i), i);
	while (tracing.open_count && !tracing.other) {
		uint32_t block = open[--tracing.open_count];

		trace_block(&tracing, block, cfg->blocks.items[block].first);
	}
	return tracing.jumped && !tracing.other;
}

static bool is_label(const struct cfg *cfg, const struct image *image,
		     const struct image_constant *word)
{
	uint32_t block = cfg_block_at(cfg, word->value);

	return (word->address || image->type == IMAGE_EXECUTABLE) && block != CFG_OUT &&
	       block && cfg->blocks.items[block].exposed;
}

static void add_labels(struct cfg *cfg, const struct image *image, uint64_t address)
{
	scoped_free struct image_constant *words =
		memory_allocate(WORDS_MAX * sizeof(*words));
	size_t known = image_read_constants(image, address, WORDS_MAX, words);
	struct cfg_table table = {.address = address,
				  .entry_size = 8,
				  .first_word = (uint32_t)cfg->words.count};
	size_t labels = 0, last = 0;

	for (size_t i = 0; i < known && i <= last + BEHIND; i++) {
		bool label = is_label(cfg, image, &words[i]);

		vector_push(&cfg->words, ((struct cfg_word){.value = words[i].value,
							    .address = words[i].address,
							    .label = label}));
		labels += label;
		last = label ? i : last;
	}
	table.count = (uint32_t)cfg->words.count - table.first_word;
	if (labels < LABELS_MIN)
		cfg->words.count = table.first_word;
	else
		vector_push(&cfg->tables, table);
}

/* Whether all instructions that name a table are leas whose registers are indexed. */
static bool are_all_indexed(const struct cfg *cfg, uint64_t table)
{
	int number;

	for (uint32_t i = 0; i < cfg->instructions.count; i++) {
		const struct cfg_instruction *row = &cfg->instructions.items[i];

		if (row->relative && row->target == table &&
		    (!switches_is_lea(cfg, row, &number) ||
		     !is_good(cfg, i + 1, number, false)))
			return false;
	}
	return true;
}

void labels_find_tables(struct cfg *cfg, const struct image *image)
{

	int number;

	for (uint32_t i = 0; i < cfg->instructions.count; i++) {
		const struct cfg_instruction *row = &cfg->instructions.items[i];

		if (switches_is_lea(cfg, row, &number) && !(row->target % 8) &&
		    row->target - cfg->address >= cfg->size &&
		    !switches_find_table(cfg, row->target) &&
		    are_all_indexed(cfg, row->target))
			add_labels(cfg, image, row->target);
	}
}
