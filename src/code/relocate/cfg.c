#include "code/relocate/cfg.h"

#include "code/relocate/labels.h"
#include "code/relocate/switch_reach.h"
#include "code/relocate/switches.h"
#include "x86/flags.h"

#include <string.h>

enum { INSTRUCTION_MAX = 15 }; /* bytes; steps have no room for more */

/* Direct branches with the lengths that they have without prefixes. */
static bool is_usual_branch(const struct brief *brief)
{
	static const uint8_t lengths[] = {
		[BRIEF_JUMP8] = 2,
		[BRIEF_CONDITION8] = 2,
		[BRIEF_JUMP32] = 5,
		[BRIEF_CONDITION32] = 6,
	};

	return brief->kind >= sizeof(lengths) || !lengths[brief->kind] ||
	       (lengths[brief->kind] == brief->length && brief->opcode != 0xc7);
}

static bool is_loop(const struct brief *brief)
{
	return !brief->map && (brief->opcode & 0xfc) == 0xe0;
}

static uint8_t kind_of_stop(const struct brief *brief)
{
	bool returns = !brief->map && (brief->opcode == 0xc2 || brief->opcode == 0xc3);

	return returns ? CFG_RETURN : CFG_STOP;
}

enum cfg_kind cfg_kind_of(const struct brief *brief)
{
	switch (brief->kind) {
	case BRIEF_JUMP8:
	case BRIEF_JUMP32:
		return CFG_JUMP;
	case BRIEF_CONDITION8:
		return is_loop(brief) ? CFG_LOOP : CFG_CONDITION;
	case BRIEF_CONDITION32:
		return CFG_CONDITION;
	case BRIEF_CALL32:
		return CFG_CALL;
	case BRIEF_CALL_INDIRECT:
		return CFG_CALL_INDIRECT;
	case BRIEF_JUMP_INDIRECT:
		return CFG_TAIL_INDIRECT; /* until a table is found */
	case BRIEF_STOP:
		return kind_of_stop(brief);
	case BRIEF_SYSCALL:
		return CFG_KERNEL;
	default:
		/* int3, int n */
		return !brief->map && (brief->opcode & 0xfe) == 0xcc ? CFG_KERNEL
								     : CFG_PLAIN;
	}
}

/* Whether an instruction cannot run elsewhere: transactions, far returns, operands cut to
 * 32 bits; and popf, which may set the trap flag: then each further instruction is
 * visible to the program. For instructions at entries see fixed_mnemonics in
 * x86/decode.c. */
static bool is_odd(const uint8_t *bytes, const struct brief *brief)
{
	bool far_leave =
		!brief->map && ((brief->opcode & 0xfe) == 0xca || brief->opcode == 0xcf);
	bool flags = !brief->map && brief->opcode == 0x9d;
	bool transaction =
		!brief->map && (brief->opcode & 0xfe) == 0xc6 && brief->modrm == 0xf8;
	bool far = !brief->map && brief->opcode == 0xff && brief->kind != BRIEF_PLAIN &&
		   (brief->modrm & 0x08);

	return far_leave || flags || transaction || far || !is_usual_branch(brief) ||
	       (brief->relative && memchr(bytes, 0x67, brief->relative) != NULL &&
		*bytes == 0x67);
}

uint8_t cfg_flags_taken(const struct scan *scan, uint64_t target)
{
	const struct code_segment *segment = code_map_find(&scan->map, target, 1);
	uint8_t taken = 0, written = 0;
	struct brief brief;

	if (!segment)
		return 0;
	for (size_t at = target - segment->address; written != FLAGS_ALL;
	     at += brief.length) {
		struct flags_effect effect;

		if (!length_decode(segment->bytes + at, segment->size - at, &brief))
			break;
		effect = flags_effect(segment->bytes + at, &brief);
		taken |= effect.read & ~written;
		written |= effect.written;
		if (cfg_kind_of(&brief) != CFG_PLAIN)
			break;
	}
	return taken;
}

static void take_instruction(struct cfg *cfg, const struct scan *scan, uint32_t offset,
			     const struct brief *brief)
{
	const uint8_t *bytes = cfg->bytes + offset;
	struct flags_effect effect = flags_effect(bytes, brief);
	struct cfg_instruction *row = vector_add(&cfg->instructions);
	uint64_t end = cfg->address + offset + brief->length;

	row->offset = offset;
	row->length = brief->length;
	row->kind = (uint8_t)cfg_kind_of(brief);
	row->opcode = brief->opcode;
	row->map = brief->map;
	row->labelled = false;
	row->relative = brief->relative;
	row->read = effect.read;
	row->written = effect.written;
	if (brief->relative)
		row->target = end + length_displacement(bytes + brief->relative, 4);
	else if (row->kind == CFG_JUMP || row->kind == CFG_CONDITION ||
		 row->kind == CFG_LOOP || row->kind == CFG_CALL)
		row->target = end + length_distance(bytes + brief->length, brief);
	if (row->kind == CFG_CALL ||
	    (row->kind == CFG_JUMP && row->target - cfg->address >= cfg->size))
		row->read = cfg_flags_taken(scan, row->target);
}

/* The second of a pair, which is to be moved with the first. */
static bool take_pair(struct cfg *cfg, const struct scan *scan, uint32_t at,
		      struct brief *brief)
{
	const uint8_t *bytes = cfg->bytes + at + LENGTH_PAIR_BRANCH;
	struct cfg_instruction *row;

	if (!length_decode(bytes, cfg->size - at - LENGTH_PAIR_BRANCH, brief) ||
	    brief->kind != BRIEF_PLAIN ||
	    brief->length + LENGTH_PAIR_BRANCH > INSTRUCTION_MAX)
		return false;
	take_instruction(cfg, scan, at + LENGTH_PAIR_BRANCH, brief);
	row = &cfg->instructions.items[cfg->instructions.count - 1];
	row->offset = at;
	row->length += LENGTH_PAIR_BRANCH;
	if (row->relative)
		row->relative += LENGTH_PAIR_BRANCH;
	row->read |= FLAGS_ZERO;
	brief->length = row->length;
	return true;
}

static enum cfg_trouble decode_function(struct cfg *cfg, const struct scan *scan)
{
	struct brief brief;

	cfg->instructions.count = 0;
	for (uint32_t at = 0; at < cfg->size; at += brief.length) {
		if (length_is_pair(cfg->bytes + at, cfg->size - at)) {
			if (!take_pair(cfg, scan, at, &brief))
				return CFG_ODD;
			continue;
		}
		if (!length_decode(cfg->bytes + at, cfg->size - at, &brief))
			return CFG_UNDECODABLE;
		if (is_odd(cfg->bytes + at, &brief))
			return CFG_ODD;
		take_instruction(cfg, scan, at, &brief);
	}
	return CFG_FINE;
}

static void mark_starts(struct cfg *cfg)
{
	vector_reserve(&cfg->block_of, cfg->size + 1);
	memset(cfg->block_of.items, 0, (cfg->size + 1) * sizeof(*cfg->block_of.items));
	cfg->block_of.count = cfg->size + 1;
	vector_for_each (&cfg->instructions, instruction)
		cfg->block_of.items[instruction->offset] = CFG_START;
}

static bool is_inside(const struct cfg *cfg, uint64_t target)
{
	return target - cfg->address < cfg->size;
}

/* False if no instruction starts there. */
static bool mark_leader(struct cfg *cfg, uint64_t target)
{
	uint32_t *state = &cfg->block_of.items[target - cfg->address];

	if (*state == CFG_NO_START)
		return false;
	*state = CFG_LEADER;
	return true;
}

bool cfg_ends_block(const struct cfg_instruction *instruction)
{
	switch (instruction->kind) {
	case CFG_PLAIN:
	case CFG_CALL:
	case CFG_CALL_INDIRECT:
	case CFG_KERNEL:
		return false;
	default:
		return true;
	}
}

static bool has_inner_target(const struct cfg *cfg,
			     const struct cfg_instruction *instruction)
{
	return (instruction->kind == CFG_JUMP || instruction->kind == CFG_CONDITION ||
		instruction->kind == CFG_LOOP) &&
	       is_inside(cfg, instruction->target);
}

/* Whether an instruction leaves the function for good, whatever it depends on. */
static bool is_exit(const struct cfg *cfg, const struct cfg_instruction *instruction)
{
	return instruction->kind == CFG_RETURN ||
	       instruction->kind == CFG_TAIL_INDIRECT ||
	       (instruction->kind == CFG_JUMP && !is_inside(cfg, instruction->target));
}

static bool mark_branches(struct cfg *cfg)
{
	vector_for_each (&cfg->instructions, instruction) {
		uint32_t end = instruction->offset + instruction->length;

		if (has_inner_target(cfg, instruction) &&
		    !mark_leader(cfg, instruction->target))
			return false;
		if (cfg->exits && is_exit(cfg, instruction))
			cfg->block_of.items[instruction->offset] = CFG_LEADER;
		if (cfg_ends_block(instruction) && end < cfg->size)
			cfg->block_of.items[end] = CFG_LEADER;
	}
	return true;
}

/* Targets outside are left to the original code. */
static bool mark_tables(struct cfg *cfg)
{
	vector_for_each (&cfg->tables, table)
		for (uint32_t i = 0; i < table->count; i++) {
			uint64_t target = switches_entry(cfg, table, i);

			if (is_inside(cfg, target) && !mark_leader(cfg, target))
				return false;
		}
	return true;
}

/* Marks entries into the function from outside. `ret_count` excludes the function's
 * entry. In code with call-frame information, a number that points into the middle of an
 * instruction is no address. */
static bool mark_exposed(struct cfg *cfg, const struct code_segment *segment,
			 bool has_frame, size_t *ret_count)
{
	size_t start = cfg->address - segment->address, end = start + cfg->size;

	*ret_count = 0;
	cfg->block_of.items[0] = CFG_LEADER;
	for (size_t i = start + 1; (i = bits_next(segment->exposed, i, end)) < end; i++) {
		if (!mark_leader(cfg, segment->address + i))
			return false;
		++*ret_count;
	}
	for (size_t i = start + 1; (i = bits_next(segment->guessed, i, end)) < end; i++) {
		if (mark_leader(cfg, segment->address + i))
			++*ret_count;
		else if (!has_frame)
			return false;
	}
	return true;
}

static bool is_exposed(const struct code_segment *segment, uint64_t address)
{
	return bit_test(segment->exposed, address - segment->address) ||
	       bit_test(segment->guessed, address - segment->address);
}

static void make_blocks(struct cfg *cfg, const struct code_segment *segment)
{
	struct cfg_block *block = NULL;

	cfg->blocks.count = 0;
	for (uint32_t i = 0; i < cfg->instructions.count; i++) {
		uint32_t offset = cfg->instructions.items[i].offset;

		if (cfg->block_of.items[offset] == CFG_LEADER) {
			block = vector_add(&cfg->blocks);
			block->first = i;
			block->exposed =
				!offset || is_exposed(segment, cfg->address + offset);
			cfg->block_of.items[offset] = (uint32_t)cfg->blocks.count;
		} else {
			cfg->block_of.items[offset] = 0;
		}
		block->count++;
	}
}

uint32_t cfg_block_at(const struct cfg *cfg, uint64_t address)
{
	uint32_t number;

	if (!is_inside(cfg, address))
		return CFG_OUT;
	number = cfg->block_of.items[address - cfg->address];
	return number ? number - 1 : CFG_OUT;
}

static void add_edge(struct cfg *cfg, uint32_t from, uint32_t to, uint8_t kind)
{
	vector_push(&cfg->edges,
		    ((struct cfg_edge){.from = from, .to = to, .kind = kind}));
}

/* The edges of one table; `marks` tell which blocks have one from `from`. */
static void add_table_edges(struct cfg *cfg, uint32_t from, const struct cfg_table *table)
{
	for (uint32_t i = 0; i < table->count; i++) {
		uint32_t to = cfg_block_at(cfg, switches_entry(cfg, table, i));
		uint32_t row = to == CFG_OUT ? (uint32_t)cfg->blocks.count : to;

		if (cfg->marks.items[row] == from + 1)
			continue;
		cfg->marks.items[row] = from + 1;
		add_edge(cfg, from, to, CFG_EDGE_SWITCH);
	}
}

/* Adds edges to all targets of a switch; to those of all tables if its table is not
 * known. */
static void add_switch_edges(struct cfg *cfg, uint32_t from,
			     const struct cfg_instruction *last)
{
	vector_for_each (&cfg->tables, table)
		if (!last->target || table->address == last->target)
			add_table_edges(cfg, from, table);
}

static void add_edges(struct cfg *cfg, uint32_t from)
{
	const struct cfg_block *block = &cfg->blocks.items[from];
	const struct cfg_instruction *last =
		&cfg->instructions.items[block->first + block->count - 1];
	uint32_t next = from + 1 < cfg->blocks.count ? from + 1 : CFG_OUT;

	switch (last->kind) {
	case CFG_JUMP:
		add_edge(cfg, from, cfg_block_at(cfg, last->target), CFG_EDGE_TAKEN);
		break;
	case CFG_CONDITION:
	case CFG_LOOP:
		add_edge(cfg, from, cfg_block_at(cfg, last->target), CFG_EDGE_TAKEN);
		add_edge(cfg, from, next, CFG_EDGE_FALL);
		break;
	case CFG_SWITCH:
		add_switch_edges(cfg, from, last);
		break;
	case CFG_RETURN:
	case CFG_STOP:
	case CFG_TAIL_INDIRECT:
		add_edge(cfg, from, CFG_OUT, CFG_EDGE_RETURN);
		break;
	default:
		add_edge(cfg, from, next, CFG_EDGE_FALL);
	}
}

static void make_edges(struct cfg *cfg)
{
	cfg->edges.count = 0;
	vector_reserve(&cfg->marks, cfg->blocks.count + 1);
	memset(cfg->marks.items, 0, (cfg->blocks.count + 1) * sizeof(*cfg->marks.items));
	for (uint32_t i = 0; i < cfg->blocks.count; i++) {
		cfg->blocks.items[i].first_edge = (uint32_t)cfg->edges.count;
		add_edges(cfg, i);
		cfg->blocks.items[i].edge_count =
			(uint32_t)cfg->edges.count - cfg->blocks.items[i].first_edge;
	}
}

/* Flags alive behind a block: dead where the function is left, by the ABI; but assembly
 * may return flags, or branch to another function on conditions. */
static uint8_t live_out(const struct cfg *cfg, const struct cfg_block *block)
{
	const struct cfg_instruction *last =
		&cfg->instructions.items[block->first + block->count - 1];
	uint8_t live = 0;

	if (last->kind == CFG_RETURN)
		return cfg->returns_flags ? FLAGS_ALL : 0;
	for (uint32_t i = 0; i < block->edge_count; i++) {
		uint32_t to = cfg->edges.items[block->first_edge + i].to;

		if (to != CFG_OUT)
			live |= cfg->blocks.items[to].live_in;
		else if (last->kind == CFG_TAIL_INDIRECT)
			live |= cfg->label_flags;
		else if (cfg->part || cfg->returns_flags || last->kind == CFG_CONDITION ||
			 last->kind == CFG_LOOP || last->kind == CFG_SWITCH ||
			 last->kind == CFG_PLAIN)
			live = FLAGS_ALL;
	}
	return live;
}

uint8_t cfg_live_before(const struct cfg_instruction *instruction, uint8_t live)
{
	/* The callee may do as it likes with them. */
	if (instruction->kind == CFG_CALL || instruction->kind == CFG_CALL_INDIRECT)
		return instruction->read;
	return (uint8_t)((live & ~instruction->written) | instruction->read);
}

bool cfg_may_stay(const struct cfg *cfg, uint32_t block)
{
	const struct cfg_block *row = &cfg->blocks.items[block];

	for (uint32_t i = 0; i < row->count; i++)
		if (cfg_is_in_place(&cfg->instructions.items[row->first + i]))
			return true;
	return false;
}

uint32_t cfg_executed(const struct cfg *cfg, uint32_t block)
{
	const struct cfg_block *row = &cfg->blocks.items[block];
	uint32_t count = row->count;

	for (uint32_t i = 0; i < row->count; i++)
		count += cfg_is_pair(cfg, &cfg->instructions.items[row->first + i]);
	return count;
}

/* Summarises the effect of a block on the flags. */
static void summarise_flags(struct cfg *cfg, struct cfg_block *block)
{
	uint8_t none = 0, all = FLAGS_ALL;

	for (uint32_t j = block->first + block->count; j-- > block->first;) {
		none = cfg_live_before(&cfg->instructions.items[j], none);
		all = cfg_live_before(&cfg->instructions.items[j], all);
	}
	block->read = none;
	block->passed = all & ~none;
	block->live_in = none;
}

/* Flags that a jump to some label may have to keep. */
static uint8_t live_at_labels(const struct cfg *cfg)
{
	uint8_t live = 0;

	for (size_t i = 1; i < cfg->blocks.count; i++)
		if (cfg->blocks.items[i].exposed)
			live |= cfg->blocks.items[i].live_in;
	return live;
}

/* Backwards over the blocks until nothing changes. */
static void find_live_flags(struct cfg *cfg)
{
	bool changed = true;

	vector_for_each (&cfg->blocks, block)
		summarise_flags(cfg, block);
	while (changed) {
		changed = false;
		cfg->label_flags = live_at_labels(cfg);
		for (size_t i = cfg->blocks.count; i--;) {
			struct cfg_block *block = &cfg->blocks.items[i];
			uint8_t live;

			block->live_out = live_out(cfg, block);
			live = block->read | (block->live_out & block->passed);
			changed |= live != block->live_in;
			block->live_in = live;
		}
	}
}

/* Whether flags may go to the caller by way of another function: it is branched to, or
 * run into, at the end of a block. */
static bool leaves_with_flags(const struct cfg *cfg, const struct cfg_block *block)
{
	for (uint32_t i = 0; cfg->returns_flags && i < block->edge_count; i++)
		if (cfg->edges.items[block->first_edge + i].to == CFG_OUT)
			return true;
	return false;
}

static void add_flag_tail(struct cfg *cfg, const struct cfg_instruction *last)
{
	switch (last->kind) {
	case CFG_JUMP:
	case CFG_CONDITION:
	case CFG_LOOP:
		vector_push(&cfg->flag_calls, last->target);
		break;
	case CFG_PLAIN:
		vector_push(&cfg->flag_calls, cfg->address + cfg->size);
		break;
	default:
		break;
	}
}

/* Finds calls behind which flags are alive: their callees return them. If the caller
 * returns flags, targets of its tail jumps do, too. */
static void find_flag_calls(struct cfg *cfg)
{
	cfg->flag_calls.count = 0;
	vector_for_each (&cfg->blocks, block) {
		uint8_t live = block->live_out;

		if (leaves_with_flags(cfg, block))
			add_flag_tail(cfg,
				      &cfg->instructions
					       .items[block->first + block->count - 1]);
		for (uint32_t j = block->first + block->count; j-- > block->first;) {
			const struct cfg_instruction *row = &cfg->instructions.items[j];

			if (live && row->kind == CFG_CALL)
				vector_push(&cfg->flag_calls, row->target);
			live = cfg_live_before(row, live);
		}
	}
}

/* Whether other functions lie in the range of this one, or it in theirs. */
static bool overlaps_next(const struct image *image, uint32_t index)
{
	const struct image_function *functions = image->functions.items;
	const struct image_function *own = &functions[index];

	if (index + 1 < image->functions.count &&
	    functions[index + 1].address < own->address + own->size)
		return true;
	for (uint32_t i = index; i-- && index - i < 8;)
		if (functions[i].address + functions[i].size > own->address)
			return true;
	return false;
}

enum cfg_trouble cfg_build(struct cfg *cfg, const struct scan *scan,
			   const struct image *image, uint32_t index)
{
	const struct image_function *function = &image->functions.items[index];
	const struct code_segment *segment =
		code_map_find(&scan->map, function->address, function->size);
	enum cfg_trouble trouble;
	size_t exposed;
	bool gotos;

	if (!segment || !(scan->traits[index] & SCAN_WHOLE))
		return CFG_UNDECODABLE;
	if (overlaps_next(image, index) || (scan->traits[index] & SCAN_BEYOND))
		return CFG_ODD;
	cfg->address = function->address;
	cfg->size = function->size;
	cfg->part = function->flags & IMAGE_FUNCTION_COLD_PART;
	cfg->bytes = segment->bytes + (function->address - segment->address);
	trouble = decode_function(cfg, scan);
	if (trouble)
		return trouble;
	mark_starts(cfg);
	if (!switches_find(cfg, scan, image))
		return CFG_INDIRECT;
	if (!mark_branches(cfg) || !mark_tables(cfg) ||
	    !mark_exposed(cfg, segment, function->flags & IMAGE_FUNCTION_FDE, &exposed))
		return CFG_ODD;
	gotos = exposed && switches_has_tail(cfg);
	if (gotos && !labels_are_words(cfg, image->type == IMAGE_EXECUTABLE))
		return CFG_INDIRECT;
	make_blocks(cfg, segment);
	make_edges(cfg);
	if (switch_reach_find(cfg))
		make_edges(cfg);
	find_live_flags(cfg);
	find_flag_calls(cfg);
	cfg->words.count = 0;
	if (gotos && !cfg->keeps_labels)
		labels_find_tables(cfg, image);
	return CFG_FINE;
}

void cfg_deinit(struct cfg *cfg)
{
	vector_deinit(&cfg->instructions);
	vector_deinit(&cfg->blocks);
	vector_deinit(&cfg->edges);
	vector_deinit(&cfg->tables);
	vector_deinit(&cfg->words);
	vector_deinit(&cfg->block_of);
	vector_deinit(&cfg->flag_calls);
	vector_deinit(&cfg->marks);
}

bool cfg_is_padding(const struct cfg *cfg, const struct cfg_instruction *row)
{
	const uint8_t *bytes = cfg->bytes + row->offset;
	unsigned at = 0;

	if (row->kind != CFG_PLAIN)
		return false;
	while (at + 1 < row->length && (bytes[at] == 0x66 || bytes[at] == 0x2e))
		at++;
	if (bytes[at] == 0x90)
		return at + 1 == row->length;
	return row->length - at >= 3 && bytes[at] == 0x0f && bytes[at + 1] == 0x1f;
}
