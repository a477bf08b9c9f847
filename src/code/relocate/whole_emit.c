/* Writing relocated functions: see code/relocate/whole.h. */
#include "code/relocate/whole_emit.h"

#include "base/page.h"
#include "code/emit/probe.h"
#include "code/plan/position.h"
#include "code/relocate/block_order.h"
#include "code/relocate/block_probe.h"
#include "code/relocate/inline_cache.h"
#include "code/relocate/map_rows.h"
#include "code/relocate/path_emit.h"
#include "code/relocate/plt_stubs.h"
#include "code/relocate/switches.h"
#include "code/relocate/table_clones.h"
#include "code/relocate/whole.h"
#include "code/scan/entry_call.h"
#include "x86/flags.h"

#include <string.h>

enum {
	/* Bytes at most: of an instruction that became longer, and of a block's probe
	 * and jumps. */
	INSTRUCTION_MAX = 24,
	BLOCK_MAX = 224,
	EDGE_MAX = 48,
};

struct emission {
	struct whole *whole;
	const struct cfg *cfg;
	struct emitter *emitter;
	bool measured; /* whole.brief is known */
};

static const struct cfg_instruction *instruction_at(const struct emission *emission,
						    size_t i)
{
	return &emission->cfg->instructions.items[i];
}

static uint64_t original_of(const struct emission *emission, size_t i)
{
	return emission->cfg->address + instruction_at(emission, i)->offset;
}

/* Whether an instruction may be a call with an inline cache, where calls are counted by
 * their sites. */
static bool may_be_cached(const struct whole *whole, const struct cfg_instruction *row)
{
	return whole->calls && whole->calls->counted && !row->read &&
	       (row->kind == CFG_CALL || row->kind == CFG_CALL_INDIRECT);
}

size_t whole_size_max(const struct whole *whole)
{
	const struct cfg *cfg = whole->cfg;
	size_t size = 64 + cfg->instructions.count * INSTRUCTION_MAX +
		      cfg->blocks.count * BLOCK_MAX + whole->edges.count * EDGE_MAX;

	size += path_emit_size_max(whole);
	vector_for_each (&cfg->tables, table)
		size += (size_t)table->count * table->entry_size + 8;
	vector_for_each (&cfg->instructions, row)
		if (may_be_cached(whole, row))
			size += INLINE_SIZE_MAX;
	size += point_places_size(whole->points);
	return table_clones_have_addresses(whole) ? size + 2 * PAGE : size;
}

static void add_step(struct emission *emission, enum map_row_kind kind, unsigned original,
		     size_t from)
{
	map_row_add(emission->emitter, kind, original, from);
}

/* The block that is written next is not the one behind the last one. */
static void add_away(struct emission *emission, uint32_t last, uint32_t next)
{
	const struct cfg_block *rows = emission->cfg->blocks.items;
	const struct cfg_instruction *end =
		instruction_at(emission, rows[last].first + rows[last].count - 1);

	map_row_add_away(emission->emitter,
			 (int64_t)instruction_at(emission, rows[next].first)->offset -
				 end->offset - end->length);
}

static void emit_points(struct emission *emission, enum point_where where, uint32_t at,
			unsigned flags)
{
	point_places_emit(emission->whole->points, emission->emitter, where, at, flags);
}

static void emit_probe(struct emission *emission, uint32_t slot, enum probe_form form)
{
	size_t from = emission->emitter->count;

	if (slot == WHOLE_NONE)
		return;
	if (emission->whole->flags)
		form = PROBE_FLAG;
	probe_emit(emission->emitter, form, slot, 0, PLAN_POSITION_PROBE);
	add_step(emission, MAP_ROW_PROBE, 0, from);
}

/* The counter of an edge, by its number. */
static uint32_t edge_slot(const struct emission *emission, uint32_t edge)
{
	const struct whole *whole = emission->whole;

	return edge < whole->edges.count ? whole->edges.items[edge].slot : WHOLE_NONE;
}

bool whole_edge_has_piece(const struct whole *whole, const struct cfg_edge *edge)
{
	const struct cfg *cfg = whole->cfg;
	const struct cfg_block *from = &cfg->blocks.items[edge->from];
	uint32_t last = from->first + from->count - 1;

	if (edge->kind == CFG_EDGE_FALL)
		return whole_in_place(whole, last);
	return cfg->instructions.items[last].kind != CFG_JUMP;
}

enum probe_form whole_edge_probe(const struct whole *whole, const struct cfg_edge *edge)
{
	return probe_beside(edge->to == CFG_OUT
				    ? FLAGS_ALL
				    : whole->cfg->blocks.items[edge->to].live_in);
}

/* The operation codes of a branch with a displacement of 1 byte; that with 4 follows. */
enum { SHORT_JUMP = 0xeb, SHORT_CONDITION = 0x70 };

static void emit_branch_opcode(struct emitter *emitter, uint8_t opcode)
{
	if (opcode == SHORT_JUMP) {
		emit_byte(emitter, 0xe9);
		return;
	}
	emit_byte(emitter, 0x0f);
	emit_byte(emitter, (uint8_t)(opcode + 0x10));
}

/* A branch to a block, or to the piece of an edge; brief if it is known to reach. */
static void emit_inner_branch(struct emission *emission, uint8_t opcode, uint32_t to,
			      bool edge)
{
	struct whole *whole = emission->whole;
	struct emitter *emitter = emission->emitter;
	size_t number = whole->fixups.count;
	bool brief = emission->measured && whole->brief.items[number];

	if (brief)
		emit_byte(emitter, opcode);
	else
		emit_branch_opcode(emitter, opcode);
	vector_push(&whole->fixups,
		    ((struct whole_fixup){.offset = (uint32_t)emitter->count,
					  .to = to,
					  .edge = edge,
					  .brief = brief}));
	if (brief)
		emit_byte(emitter, 0);
	else
		emit_word32(emitter, 0);
}

/* A branch to a block, or to where its original is entered. */
static void emit_branch_to_block(struct emission *emission, uint8_t opcode,
				 uint32_t block)
{
	const struct cfg *cfg = emission->cfg;

	if (emission->whole->blocks.items[block].stub == WHOLE_NONE) {
		emit_inner_branch(emission, opcode, block, false);
		return;
	}
	emit_branch_opcode(emission->emitter, opcode);
	emit_relative(emission->emitter,
		      original_of(emission, cfg->blocks.items[block].first), 0);
}

/* The word that a call, or jump, through a procedure linkage table goes by. */
static bool find_linkage(const struct emission *emission,
			 const struct cfg_instruction *row, uint64_t *ret_word)
{
	const struct whole_calls *calls = emission->whole->calls;

	return (row->kind == CFG_CALL || row->kind == CFG_JUMP) &&
	       plt_stubs_find(calls, row->target, ret_word) &&
	       !plt_stubs_is_link(calls, *ret_word);
}

/* The counter of a call, or of a jump to another function, in front of it: which one it
 * is, is known later (code/calls/call_stubs.c). Whether there is one. */
static bool emit_arc_probe(struct emission *emission, const struct cfg_instruction *row)
{
	const struct whole_calls *calls = emission->whole->calls;
	int64_t callee;

	if (!calls || !calls->counted || row->read)
		return false;
	callee = code_map_function_at(calls->map, row->target);
	if (callee < 0 || !calls->counted[callee])
		return false;
	probe_emit(emission->emitter, PROBE_COUNT, 0, 0, PLAN_POSITION_PROBE);
	return true;
}

/* A direct branch. Other functions are entered where calls are led to. */
static void emit_direct(struct emission *emission, uint8_t opcode, uint32_t number,
			const struct cfg_instruction *row)
{
	uint32_t edge = emission->cfg->blocks.items[number].first_edge;
	uint32_t block = cfg_block_at(emission->cfg, row->target);
	bool counted;

	if (row->kind != CFG_JUMP && whole_edge_has_code(emission->whole, edge)) {
		emit_inner_branch(emission, opcode, edge, true);
		return;
	}
	if (block != CFG_OUT) {
		emit_branch_to_block(emission, opcode, block);
		return;
	}
	counted = row->kind == CFG_JUMP && emit_arc_probe(emission, row);
	emit_branch_opcode(emission->emitter, opcode);
	if (row->kind == CFG_JUMP)
		emit_note_jump(emission->emitter, emission->cfg->address + row->offset,
			       counted);
	emit_relative(emission->emitter, row->target, 0);
}

static void emit_jump_to_block(struct emission *emission, uint32_t block)
{
	emit_branch_to_block(emission, SHORT_JUMP, block);
}

/* The edge of an inverted condition that is counted in front of a block: only its branch
 * leads there. WHOLE_NONE if there is none. */
static uint32_t edge_in_front(const struct emission *emission, uint32_t block)
{
	uint32_t edge;

	if (!block || !emission->whole->blocks.items[block - 1].turned)
		return WHOLE_NONE;
	edge = emission->cfg->blocks.items[block - 1].first_edge + 1;
	return edge_slot(emission, edge) == WHOLE_NONE ? WHOLE_NONE : edge;
}

/* Whether a jump to the block may be left out right in front of where it is written. */
static bool comes_next(const struct emission *emission, uint32_t here, uint32_t block)
{
	return block == emission->whole->blocks.items[here].next &&
	       emission->whole->blocks.items[block].stub == WHOLE_NONE &&
	       edge_in_front(emission, block) == WHOLE_NONE;
}

/* Counts an edge, and goes on. What leaves the function goes to the original. */
static void emit_piece(struct emission *emission, uint32_t edge)
{
	const struct cfg_edge *row = &emission->cfg->edges.items[edge];
	const struct cfg_block *from = &emission->cfg->blocks.items[row->from];
	struct emitter *emitter = emission->emitter;

	emission->whole->edges.items[edge].code = (uint32_t)emitter->count;
	if (!path_emit_edge(emission->whole, emitter, edge, false))
		probe_emit(emitter, whole_edge_probe(emission->whole, row),
			   edge_slot(emission, edge), 0, PLAN_POSITION_PROBE);
	if (row->to == CFG_OUT)
		emit_jump(
			emitter,
			instruction_at(emission, from->first + from->count - 1)->target);
	else if (!emission->whole->blocks.items[row->from].turned)
		emit_jump_to_block(emission, row->to);
}

/* A condition that leads to the cold block behind it, and falls to where it led. */
static void emit_turned(struct emission *emission, uint32_t number, uint8_t opcode)
{
	uint32_t edge = emission->cfg->blocks.items[number].first_edge;
	uint32_t front = edge_in_front(emission, number + 1);

	emit_inner_branch(emission, SHORT_CONDITION | ((opcode ^ 1) & 15),
			  front == WHOLE_NONE ? number + 1 : front, front != WHOLE_NONE);
	if (edge_slot(emission, edge) != WHOLE_NONE)
		emit_piece(emission, edge);
}

/* A condition that is mostly true, on which something is counted then. */
static void emit_skipped(struct emission *emission, uint32_t edge,
			 const struct cfg_instruction *row)
{
	struct emitter *emitter = emission->emitter;
	size_t from;

	emit_byte(emitter, 0x70 | ((row->opcode ^ 1) & 15));
	emit_byte(emitter, 0);
	from = emitter->count;
	emit_piece(emission, edge);
	if (!emitter->full)
		emitter->code[from - 1] = (uint8_t)(emitter->count - from);
}

/* loop 1f; jmp 2f; 1: jmp target; 2: */
static void emit_loop(struct emission *emission, uint32_t number,
		      const struct cfg_instruction *row)
{
	struct emitter *emitter = emission->emitter;
	size_t from;

	emit_bytes(emitter, emission->cfg->bytes + row->offset, row->length - 1u);
	emit_bytes(emitter, (const uint8_t[]){2, SHORT_JUMP, 0}, 3);
	from = emitter->count;
	emit_direct(emission, SHORT_JUMP, number, row);
	if (!emitter->full)
		emitter->code[from - 1] = (uint8_t)(emitter->count - from);
}

static void emit_branch(struct emission *emission, uint32_t number,
			const struct cfg_instruction *row)
{
	struct emitter *emitter = emission->emitter;
	uint32_t block = cfg_block_at(emission->cfg, row->target);
	uint32_t edge = emission->cfg->blocks.items[number].first_edge;
	uint64_t word;
	bool counted;

	if (find_linkage(emission, row, &word)) { /* call or jmp *word */
		emit_byte(emitter, 0xff);
		emit_byte(emitter, row->kind == CFG_CALL ? 0x15 : 0x25);
		emit_relative(emitter, word, 0);
		return;
	}
	switch (row->kind) {
	case CFG_JUMP:
		if (block != CFG_OUT && comes_next(emission, number, block))
			return;
		emit_direct(emission, SHORT_JUMP, number, row);
		break;
	case CFG_CALL: /* a function's calls of itself count as calls */
		counted = emit_arc_probe(emission, row);
		emit_byte(emitter, 0xe8);
		emit_note_jump(emitter, emission->cfg->address + row->offset, counted);
		emit_relative(emitter, row->target, 0);
		break;
	case CFG_CONDITION:
		if (emission->whole->blocks.items[number].turned) {
			emit_turned(emission, number, row->opcode);
			return;
		}
		if (edge_slot(emission, edge) != WHOLE_NONE &&
		    emission->whole->edges.items[edge].hot &&
		    !point_places_have(emission->whole->points, POINT_EDGE, edge)) {
			emit_skipped(emission, edge, row);
			return;
		}
		emit_direct(emission, SHORT_CONDITION | (row->opcode & 15), number, row);
		break;
	default:
		emit_loop(emission, number, row);
	}
}

/* Copies an instruction, except for the displacement of a RIP-relative operand or the
 * absolute operand of a jump through a table. */
static void emit_copy(struct emission *emission, const struct cfg_instruction *row)
{
	const struct cfg *cfg = emission->cfg;
	const struct cfg_table *table =
		emission->whole->live ? NULL : switches_named(cfg, row);
	const uint8_t *bytes = cfg->bytes + row->offset;
	struct emitter *emitter = emission->emitter;
	uint64_t target = row->target;

	if (table)
		target = emitter->address +
			 emission->whole->clones.items[table - cfg->tables.items];
	if (row->relative) {
		emit_bytes(emitter, bytes, row->relative);
		emit_relative(emitter, target, row->length - row->relative - 4u);
		emit_bytes(emitter, bytes + row->relative + 4,
			   row->length - row->relative - 4u);
	} else if (table) {
		emit_bytes(emitter, bytes, row->length - 4u);
		emit_absolute(emitter, target);
	} else {
		emit_bytes(emitter, bytes, row->length);
	}
}

static void emit_edge_probe(struct emission *emission, uint32_t edge)
{
	const struct cfg_edge *row = &emission->cfg->edges.items[edge];

	if (path_emit_edge(emission->whole, emission->emitter, edge, true))
		return;

	emit_probe(emission, edge_slot(emission, edge),
		   whole_edge_probe(emission->whole, row));
}

/* Writes the probes of an instruction at which calls end: of the graph, and of spans. */
static void emit_leave_probes(struct emission *emission,
			      const struct cfg_instruction *row)
{
	const struct whole *whole = emission->whole;
	bool keep = emission->cfg->returns_flags;
	size_t from = emission->emitter->count;

	if (whole_ends_call(whole, row)) {
		if (keep)
			probe_emit(emission->emitter, PROBE_LEAVE_KEEP_FLAGS,
				   whole->leave->leave, 0, PLAN_POSITION_PROBE);
		else
			probe_emit_return(emission->emitter, whole->leave, 0);
		add_step(emission, MAP_ROW_PROBE, 0, from);
		from = emission->emitter->count;
	}
	if (whole_ends_span(whole, row)) {
		probe_emit(emission->emitter,
			   keep || row->ends ? PROBE_LEAVE_KEEP_FLAGS : PROBE_LEAVE,
			   whole->span_end, 0, PLAN_POSITION_PROBE);
		add_step(emission, MAP_ROW_PROBE, 0, from);
	}
}

/* An indirect call with its cache, or one through a procedure linkage table. */
static bool emit_cached_call(struct emission *emission, uint32_t i)
{
	static const uint8_t call_word[] = {0xff, 0x15};
	const struct cfg_instruction *row = instruction_at(emission, i);
	struct inline_call call = {.bytes = emission->cfg->bytes + row->offset,
				   .length = row->length,
				   .relative = row->relative,
				   .target = row->target};
	struct whole_miss miss = {.instruction = i};

	if (!may_be_cached(emission->whole, row))
		return false;
	if (row->kind == CFG_CALL) {
		if (!find_linkage(emission, row, &call.target))
			return false;
		call.bytes = call_word;
		call.relative = sizeof(call_word);
		call.linkage = true;
	}
	if (!inline_cache_emit(emission->emitter, &call, &miss.branch))
		return false;
	miss.back = (uint32_t)emission->emitter->count;
	vector_push(&emission->whole->misses, miss);
	return true;
}

static void emit_plainly(struct emission *emission, uint32_t number,
			 const struct cfg_instruction *row)
{
	if (row->kind == CFG_JUMP || row->kind == CFG_CONDITION ||
	    row->kind == CFG_LOOP || row->kind == CFG_CALL)
		emit_branch(emission, number, row);
	else if (!cfg_is_padding(emission->cfg, row))
		emit_copy(emission, row);
}

static void emit_instruction(struct emission *emission, uint32_t number, uint32_t i)
{
	const struct cfg_instruction *row = instruction_at(emission, i);
	uint32_t edge = emission->cfg->blocks.items[number].first_edge;
	size_t from;

	if (row->kind == CFG_JUMP && edge_slot(emission, edge) != WHOLE_NONE)
		emit_edge_probe(emission, edge);
	emit_leave_probes(emission, row);
	path_emit_leave(emission->whole, emission->emitter, number, i);
	from = emission->emitter->count;
	/* Calls with caches are made as they were behind the blocks. */
	if (!emit_cached_call(emission, i))
		emit_plainly(emission, number, row);
	if (cfg_is_pair(emission->cfg, row))
		map_row_add_pair(emission->emitter, row->length);
	else
		add_step(emission, MAP_ROW_MOVED, row->length, from);
}

static void emit_jump_step(struct emission *emission, uint64_t target)
{
	size_t from = emission->emitter->count;

	emit_jump(emission->emitter, target);
	add_step(emission, MAP_ROW_JUMP, 0, from);
}

enum probe_form whole_block_probe(const struct whole *whole,
				  const struct cfg_block *block)
{
	enum probe_form form;

	block_probe_choose(whole, block, &form);
	return form;
}

/* Writes what follows the last instruction of a block. */
static void emit_fall(struct emission *emission, uint32_t number)
{
	const struct cfg *cfg = emission->cfg;
	const struct cfg_block *block = &cfg->blocks.items[number];
	uint32_t last = block->first + block->count - 1;
	uint32_t edge = block->first_edge + block->edge_count - 1;
	uint8_t kind = instruction_at(emission, last)->kind;
	size_t from;

	if (whole_in_place(emission->whole, last) ||
	    emission->whole->blocks.items[number].turned ||
	    (kind != CFG_PLAIN && kind != CFG_CONDITION && kind != CFG_LOOP &&
	     kind != CFG_CALL && kind != CFG_CALL_INDIRECT))
		return;
	/* A return to the original address, restored by the program, comes here, too. */
	if (whole_edge_has_code(emission->whole, edge))
		emission->whole->edges.items[edge].code =
			(uint32_t)emission->emitter->count;
	emit_edge_probe(emission, edge);
	emit_points(emission, POINT_EDGE, edge, MAP_POINT_EDGE);
	from = emission->emitter->count;
	if (number + 1 == cfg->blocks.count) {
		emit_jump_step(emission, cfg->address + cfg->size);
	} else if (!comes_next(emission, number, number + 1)) {
		emit_jump_to_block(emission, number + 1);
		add_step(emission, MAP_ROW_JUMP, 0, from);
	}
}

static void emit_block(struct emission *emission, uint32_t number)
{
	const struct cfg_block *block = &emission->cfg->blocks.items[number];
	struct whole_block *own = &emission->whole->blocks.items[number];
	const struct whole *whole = emission->whole;
	uint32_t probe, end = block->first + block->count;
	enum probe_form form;
	bool is_entered;

	if (edge_in_front(emission, number) != WHOLE_NONE) {
		uint32_t edge = edge_in_front(emission, number);

		emission->whole->edges.items[edge].code =
			(uint32_t)emission->emitter->count;
		emit_edge_probe(emission, edge);
	}
	probe = block_probe_choose(emission->whole, block, &form);
	own->code = (uint32_t)emission->emitter->count;
	for (uint32_t i = block->first; i < end; i++) {
		emission->whole->codes.items[i] = (uint32_t)emission->emitter->count;
		/* A stubbed block is entered in the original, up to its stub. */
		is_entered = !whole_in_place(whole, i) ||
			     ((own->stub == WHOLE_NONE || i > own->stub) &&
			      (i == block->first || !whole_in_place(whole, i - 1)));
		if (is_entered && i > block->first)
			emit_points(emission, POINT_AFTER, i - 1, 0);
		if (i == probe && own->stub == WHOLE_NONE)
			emit_probe(emission, own->slot, form);
		if (is_entered)
			emit_points(emission, POINT_BEFORE, i, 0);
		path_emit_before(emission->whole, emission->emitter, number, i);
		if (!whole_in_place(whole, i)) {
			emit_instruction(emission, number, i);
			continue;
		}
		if (is_entered)
			emit_jump_step(emission, original_of(emission, i));
		add_step(emission, MAP_ROW_ORIGINAL, instruction_at(emission, i)->length,
			 emission->emitter->count);
	}
	emit_fall(emission, number);
}

/* From the end of a branch to where it leads. */
static int32_t distance_of(const struct emission *emission,
			   const struct whole_fixup *fixup)
{
	uint32_t to = fixup->edge ? emission->whole->edges.items[fixup->to].code
				  : emission->whole->blocks.items[fixup->to].code;

	return (int32_t)(to - (fixup->offset + (fixup->brief ? 1 : 4)));
}

static void fill_branches(const struct emission *emission)
{
	vector_for_each (&emission->whole->fixups, fixup) {
		uint8_t *code = emission->emitter->code + fixup->offset;
		int32_t distance = distance_of(emission, fixup);

		if (fixup->brief)
			*code = (uint8_t)distance;
		else
			memcpy(code, &distance, sizeof(distance));
	}
}

/* Counts, and goes where the call leads. The word that a call goes through gets its value
 * when all patches are known. */
static void emit_stub(struct emission *emission, uint32_t number)
{
	struct whole_block *own = &emission->whole->blocks.items[number];
	struct emitter *emitter = emission->emitter;
	size_t from = emitter->count;
	const struct cfg_instruction *row = instruction_at(emission, own->stub);
	const struct entry_call call = {.call = original_of(emission, own->stub),
					.target = row->target,
					.word = row->kind == CFG_CALL_INDIRECT};
	uint32_t entry_slot = number ? WHOLE_NONE : emission->whole->entry_slot;
	enum probe_form form = emission->whole->flags ? PROBE_FLAG : PROBE_COUNT;

	own->stub_code = (uint32_t)from;
	if (emitter->plan)
		vector_push(&emitter->plan->stubs,
			    ((struct plan_stub){
				    .code = (uint32_t)from,
				    .call = call.call,
				    .callee = (int32_t)(call.target - call.call)}));
	if (entry_slot != WHOLE_NONE)
		probe_emit(emitter, form, entry_slot, 0, PLAN_POSITION_CALL_UNDO);
	if (own->slot != WHOLE_NONE)
		probe_emit(emitter, form, own->slot, 0, PLAN_POSITION_CALL_UNDO);
	entry_call_jump(emitter, &call);
	own->stub_word = call.word ? (uint32_t)emitter->count : 0;
	if (call.word)
		entry_call_word(emitter, 0);
}

/* Writes the displacement of 4 bytes of a branch or jump. */
static void fill_distance(struct emitter *emitter, uint32_t at, uint32_t target)
{
	int32_t distance = (int32_t)(target - (at + sizeof(distance)));

	if (!emitter->full)
		memcpy(emitter->code + at, &distance, sizeof(distance));
}

/* Writes calls that miss their caches, behind the last block, whose original ends at
 * `at`. */
static uint32_t emit_misses(struct emission *emission, uint32_t at)
{
	struct emitter *emitter = emission->emitter;

	vector_for_each (&emission->whole->misses, miss) {
		const struct cfg_instruction *row =
			instruction_at(emission, miss->instruction);
		size_t from = emitter->count;

		map_row_add_away(emitter, (int64_t)row->offset - at);
		fill_distance(emitter, miss->branch, (uint32_t)from);
		emit_plainly(emission, 0, row);
		add_step(emission, MAP_ROW_MOVED, row->length, from);
		from = emitter->count;
		emit_byte(emitter, 0xe9);
		emit_word32(emitter, 0);
		fill_distance(emitter, (uint32_t)from + 1, miss->back);
		add_step(emission, MAP_ROW_JUMP, 0, from);
		at = row->offset + row->length;
	}
	return at;
}

/* Writes the piece of an edge with points, with rows: the counter, the points, and the
 * jump. A thread there is shown at the start of the edge's block or, on the way out, at
 * the branch. Returns where the original ends. */
static uint32_t emit_point_piece(struct emission *emission, uint32_t edge, uint32_t at)
{
	const struct cfg *cfg = emission->cfg;
	const struct cfg_edge *row = &cfg->edges.items[edge];
	const struct cfg_block *from = &cfg->blocks.items[row->from];
	const struct cfg_instruction *last =
		instruction_at(emission, from->first + from->count - 1);
	uint32_t to = row->to == CFG_OUT
			      ? last->offset
			      : instruction_at(emission, cfg->blocks.items[row->to].first)
					->offset;
	struct emitter *emitter = emission->emitter;
	size_t start;

	map_row_add_away(emitter, (int64_t)to - at);
	emission->whole->edges.items[edge].code = (uint32_t)emitter->count;
	emit_edge_probe(emission, edge);
	emit_points(emission, POINT_EDGE, edge, MAP_POINT_EDGE | MAP_POINT_PIECE);
	start = emitter->count;
	if (row->to == CFG_OUT)
		emit_jump(emitter, last->target);
	else
		emit_jump_to_block(emission, row->to);
	add_step(emission, MAP_ROW_JUMP, 0, start);
	return to;
}

/* Writes the pieces of edges, those with rows first. */
static void emit_pieces(struct emission *emission, uint32_t at)
{
	struct whole *whole = emission->whole;

	for (unsigned points = 2; points--;)
		for (uint32_t i = 0; i < whole->edges.count; i++) {
			if (!whole_edge_has_code(whole, i) ||
			    whole->edges.items[i].code != WHOLE_NONE ||
			    point_places_have(whole->points, POINT_EDGE, i) != points ||
			    !whole_edge_has_piece(whole, &emission->cfg->edges.items[i]))
				continue;
			if (points)
				at = emit_point_piece(emission, i, at);
			else
				emit_piece(emission, i);
		}
}

/* Offset of the end of a block in the original. */
static uint32_t end_of(const struct emission *emission, uint32_t number)
{
	const struct cfg_block *block = &emission->cfg->blocks.items[number];
	const struct cfg_instruction *last =
		instruction_at(emission, block->first + block->count - 1);

	return last->offset + last->length;
}

/* Writes the blocks, and the code behind them. */
static void emit_code(struct emission *emission)
{
	struct whole *whole = emission->whole;
	const struct cfg *cfg = emission->cfg;

	whole->fixups.count = whole->misses.count = 0;
	vector_for_each (&whole->edges, edge)
		edge->code = WHOLE_NONE;
	path_emit_entry(whole, emission->emitter);
	if (!whole->paths && whole->entry_patched)
		emit_probe(emission, whole->entry_slot,
			   probe_beside(cfg->blocks.items->live_in));
	emit_points(emission, POINT_ENTRY, 0, 0);
	for (uint32_t b = 0, next; b != WHOLE_NONE; b = next) {
		next = whole->blocks.items[b].next;
		emit_block(emission, b);
		if (next != WHOLE_NONE)
			add_away(emission, b, next);
		else
			emit_pieces(emission, emit_misses(emission, end_of(emission, b)));
	}
	for (uint32_t b = 0; b < cfg->blocks.count; b++)
		if (whole->blocks.items[b].stub != WHOLE_NONE)
			emit_stub(emission, b);
	path_emit_ends(whole, emission->emitter);
}

/*
 * Finds the branches that need only 1 byte of displacement: those that do so even if all
 * others have 4, since distances only shrink when others become shorter.
 */
static void measure_code(struct emission *emission)
{
	struct whole *whole = emission->whole;
	struct emitter *emitter = emission->emitter, before = *emitter;

	emitter->plan = NULL;
	emitter->jumps = NULL;
	emitter->shifts = NULL;
	emitter->cached = NULL;
	emit_code(emission);
	vector_reserve(&whole->brief, whole->fixups.count);
	for (size_t i = 0; i < whole->fixups.count; i++) {
		int32_t distance = distance_of(emission, &whole->fixups.items[i]);

		whole->brief.items[i] = distance == (int8_t)distance;
	}
	emission->measured = !emitter->full;
	*emitter = before;
}

void whole_emit(struct whole *whole, struct emitter *emitter, uint32_t *ret_entry)
{
	struct emission emission = {
		.whole = whole, .cfg = whole->cfg, .emitter = emitter};

	vector_reserve(&whole->codes, whole->cfg->instructions.count);
	whole->codes.count = whole->cfg->instructions.count;
	if (!whole->live)
		table_clones_reserve(whole, emitter);
	emit_align(emitter, 16);
	*ret_entry = (uint32_t)emitter->count;
	block_order_choose(whole);
	measure_code(&emission);
	emit_code(&emission);
	if (emitter->full || emitter->reason)
		return;
	fill_branches(&emission);
	if (!whole->live)
		table_clones_fill(whole, emitter);
}
