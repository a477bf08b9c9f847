#include "code/relocate/path_emit.h"

#include "base/cleanup.h"
#include "x86/flags.h"
#include "code/relocate/map_rows.h"
#include "x86/length.h"

#include <string.h>

enum { STACK = 4, WORD = 8, REX_W = 8, REX_R = 4, REX_B = 1 };

static const struct cfg_instruction *last_of(const struct cfg *cfg, uint32_t block)
{
	const struct cfg_block *row = &cfg->blocks.items[block];

	return &cfg->instructions.items[row->first + row->count - 1];
}

/* An instruction, as far as it tells what becomes of rsp. */
struct moving {
	struct brief brief;
	const uint8_t *bytes;
	uint8_t rex, mod, reg, rm;
	bool wide; /* operand-size prefix */
};

static bool read_instruction(const uint8_t *bytes, size_t size, struct moving *ret)
{
	size_t at = 0;

	*ret = (struct moving){.bytes = bytes};
	if (!length_decode(bytes, size, &ret->brief))
		return false;
	for (;
	     at < size && (bytes[at] == 0x66 || bytes[at] == 0xf2 || bytes[at] == 0xf3 ||
			   bytes[at] == 0x64 || bytes[at] == 0x2e || bytes[at] == 0x3e);
	     at++)
		ret->wide |= bytes[at] == 0x66;
	if (at < size && (bytes[at] & 0xf0) == 0x40)
		ret->rex = bytes[at] & 15;
	ret->mod = ret->brief.modrm >> 6;
	ret->reg = (uint8_t)((ret->brief.modrm >> 3 & 7) | (ret->rex & REX_R ? 8 : 0));
	ret->rm = (uint8_t)((ret->brief.modrm & 7) | (ret->rex & REX_B ? 8 : 0));
	return true;
}

/* add, sub or lea of a constant to rsp. */
static bool moves_by_constant(const struct moving *moving, int32_t *ret_up)
{
	const uint8_t *end = moving->bytes + moving->brief.length;
	const uint8_t opcode = moving->brief.opcode;
	int32_t value;

	if (moving->brief.map || !(moving->rex & REX_W))
		return false;
	if ((opcode == 0x83 || opcode == 0x81) && moving->mod == 3 &&
	    moving->rm == STACK) {
		uint8_t kind = moving->reg & 7;

		value = (int32_t)length_displacement(end - moving->brief.immediate,
						     moving->brief.immediate);
		*ret_up = kind == 5 ? -value : value;
		return kind == 0 || kind == 5 || kind == 7
			       ? (kind == 7 ? !(*ret_up = 0) : true)
			       : false;
	}
	/* lea displacement(%rsp), %rsp */
	if (opcode == 0x8d && moving->reg == STACK &&
	    (moving->brief.modrm & 7) == STACK &&
	    end[moving->mod == 1 ? -2 : -5] == 0x24 &&
	    (moving->mod == 1 || moving->mod == 2)) {
		*ret_up = (int32_t)length_displacement(end - (moving->mod == 1 ? 1 : 4),
						       moving->mod == 1 ? 1 : 4);
		return true;
	}
	return false;
}

/* Whether an instruction certainly leaves rsp alone, though it may read it. */
static bool leaves_rsp(const struct moving *moving)
{
	static const uint8_t groups[] = {0x80, 0x81, 0x83, 0xc0, 0xc1, 0xc6, 0xc7, 0xd0,
					 0xd1, 0xd2, 0xd3, 0xf6, 0xf7, 0xfe, 0xff};
	static const uint8_t writers[] = {0xaf, 0xb6, 0xb7, 0xbe, 0xbf, 0xbc, 0xbd, 0xb8,
					  0xc0, 0xc1, 0xb0, 0xb1, 0xba, 0xc7, 0x02, 0x03};
	const uint8_t opcode = moving->brief.opcode;
	const bool rm = moving->mod == 3 && moving->rm == STACK,
		   reg = moving->reg == STACK;

	if (moving->brief.map == 1) {
		bool writes = (opcode & 0xf0) == 0x40 || opcode >= 0xc8 ||
			      memchr(writers, opcode, sizeof(writers));

		return !((rm || reg) && writes);
	}
	if (moving->brief.map)
		return !rm && !reg;
	if (opcode == 0xc8 || opcode == 0xc9 || opcode == 0x8f || opcode == 0x9c ||
	    opcode == 0x9d || opcode == 0xcd || opcode == 0xcf ||
	    (opcode >= 0x50 && opcode <= 0x5f))
		return false;
	if (opcode >= 0xb8 && opcode <= 0xbf)
		return !((opcode & 7) == STACK && !(moving->rex & REX_B));
	if (opcode >= 0x90 && opcode <= 0x97)
		return !((opcode & 7) == STACK && !(moving->rex & REX_B));
	if (memchr(groups, opcode, sizeof(groups)))
		return !rm && !(opcode == 0xff && (moving->reg & 7) == 6);
	/* mov and cmp and test of rsp to others read it. */
	if (opcode == 0x89 || opcode == 0x39 || opcode == 0x85 || opcode == 0x3b)
		return opcode != 0x89 || !rm;
	return !rm && !reg;
}

/* By how much an instruction raises rsp. False: it is not known. */
static bool find_move(const struct cfg *cfg, const struct cfg_instruction *row,
		      int32_t *ret_up)
{
	struct moving moving;

	*ret_up = 0;
	if (cfg_is_in_place(row))
		return true;
	if (row->kind != CFG_PLAIN || cfg_is_pair(cfg, row) ||
	    !read_instruction(cfg->bytes + row->offset, row->length, &moving))
		return row->kind == CFG_PLAIN && cfg_is_pair(cfg, row);
	const uint8_t opcode = moving.brief.opcode;

	if (moving.brief.kind == BRIEF_NOP)
		return true;
	if (!moving.brief.map && !moving.wide) {
		if ((opcode >= 0x50 && opcode <= 0x57) || opcode == 0x68 ||
		    opcode == 0x6a ||
		    (opcode == 0xff && (moving.brief.modrm >> 3 & 7) == 6)) {
			*ret_up = -WORD;
			return true;
		}
		if (opcode >= 0x58 && opcode <= 0x5f) {
			*ret_up = WORD;
			return opcode != 0x5c || moving.rex & REX_B;
		}
		if (moves_by_constant(&moving, ret_up))
			return true;
	}
	*ret_up = 0;
	return leaves_rsp(&moving);
}

/* Flags alive in front of an instruction of a block. */
static uint8_t live_before(const struct cfg *cfg, uint32_t block, uint32_t instruction)
{
	const struct cfg_block *row = &cfg->blocks.items[block];
	uint8_t live = row->live_out;

	for (uint32_t i = row->first + row->count; i-- > instruction;)
		live = cfg_live_before(&cfg->instructions.items[i], live);
	return live;
}

/* Flags alive behind a stretch. Those that a call leaves are nobody's, though all may be
 * seen where the code behind it stops or ends: calls that do not come back. */
static uint8_t live_behind(const struct cfg *cfg, uint32_t block, uint32_t end)
{
	const uint8_t kind = cfg->instructions.items[end - 1].kind;
	const uint8_t live = live_before(cfg, block, end);

	return live == FLAGS_ALL && (kind == CFG_CALL || kind == CFG_CALL_INDIRECT)
		       ? 0
		       : live;
}

static enum path_bar find_stretch(const struct whole *whole, uint32_t block,
				  struct path_stretch *ret_stretch)
{
	const struct cfg *cfg = whole->cfg;
	const struct cfg_block *row = &cfg->blocks.items[block];
	uint32_t end = row->first + row->count, first = row->first;
	int32_t up;

	while (first < end && !whole->original.items[first])
		first++;
	while (end > first && !whole->original.items[end - 1])
		end--;
	*ret_stretch = (struct path_stretch){first, end, 0};
	for (uint32_t i = first; i < end; i++) {
		if (!whole->original.items[i] ||
		    !find_move(cfg, &cfg->instructions.items[i], &up))
			return PATH_BAR_STACK;
		ret_stretch->up += up;
	}
	if (first == end || cfg->instructions.items[end - 1].kind == CFG_STOP)
		return PATH_BAR_NONE;
	return live_behind(cfg, block, end) ? PATH_BAR_FLAGS : PATH_BAR_NONE;
}

enum path_bar path_emit_prepare(struct whole *whole)
{
	const struct cfg *cfg = whole->cfg;
	const uint32_t blocks = (uint32_t)cfg->blocks.count;
	scoped_free uint32_t *entries = memory_allocate_zeroed(blocks, sizeof(*entries));

	vector_reserve(&whole->stretches, blocks);
	vector_reserve(&whole->alone, blocks);
	whole->stretches.count = whole->alone.count = blocks;
	for (uint32_t i = 0; i < cfg->edges.count; i++) {
		uint32_t to = cfg->edges.items[i].to;

		if (to == CFG_OUT)
			continue;
		entries[to]++;
		whole->alone.items[to] = i;
	}
	for (uint32_t b = 0; b < blocks; b++) {
		if (entries[b] != 1 || !b || cfg->blocks.items[b].exposed)
			whole->alone.items[b] = WHOLE_NONE;
		enum path_bar bar = find_stretch(whole, b, &whole->stretches.items[b]);

		if (bar)
			return bar;
	}
	return PATH_BAR_NONE;
}

static bool is_alone(const struct whole *whole, uint32_t block)
{
	return block != CFG_OUT && whole->alone.items[block] != WHOLE_NONE;
}

static bool ends_in_stretch(const struct whole *whole, uint32_t block)
{
	const struct cfg_block *row = &whole->cfg->blocks.items[block];

	return whole->original.items[row->first + row->count - 1];
}

bool path_emit_has_edge(const struct whole *whole, const struct paths *paths,
			uint32_t edge)
{
	const struct cfg *cfg = whole->cfg;
	const struct cfg_edge *row = &cfg->edges.items[edge];
	const struct cfg_block *from = &cfg->blocks.items[row->from];
	const uint32_t last = from->first + from->count - 1;
	const struct paths_step *step;

	if (paths->step_of[edge] == PATHS_NONE)
		return false;
	if (row->kind == CFG_EDGE_RETURN)
		return false;
	step = &paths->steps.items[paths->step_of[edge]];
	if (row->kind == CFG_EDGE_FALL && ends_in_stretch(whole, row->from))
		return !whole_in_place(whole, last) ||
		       (row->to != CFG_OUT && !cfg->blocks.items[row->to].exposed);
	return step->kind != PATHS_PASS || (step->increment && !is_alone(whole, row->to));
}

/* Notes the tail of a probe that began at `start`. */
static void add_tail(struct whole *whole, uint32_t branch, size_t start, uint32_t site,
		     bool keep)
{
	if (branch)
		vector_push(&whole->tails,
			    ((struct whole_tail){branch, (uint32_t)start, site, keep}));
}

static bool emit_begin(struct whole *whole, struct emitter *emitter, uint32_t block)
{
	const struct whole_paths *own = whole->paths;
	const uint32_t begin = own->paths->begin_of[block];
	const bool keep = whole->cfg->blocks.items[block].live_in;
	const size_t start = emitter->count;

	if (begin == PATHS_NONE)
		return false;
	add_tail(whole,
		 path_probe_begin(emitter, &own->words,
				  own->paths->steps.items[begin].increment, own->calls,
				  keep),
		 start, 0, keep);
	return true;
}

/* A general register that is not needed at the start of a block. */
static uint8_t find_scratch(const struct whole *whole, uint32_t block)
{
	enum { REGISTERS = 16 };
	uint16_t live;

	if (block == CFG_OUT)
		return PATH_NO_SCRATCH;
	live = whole->paths->live->before.items[whole->cfg->blocks.items[block].first];
	for (uint8_t i = 0; i < REGISTERS; i++)
		if (i != STACK && !(live & 1u << i))
			return i;
	return PATH_NO_SCRATCH;
}

static bool emit_head(struct whole *whole, struct emitter *emitter, uint32_t block)
{
	const struct paths *paths = whole->paths->paths;
	const uint32_t edge = whole->alone.items[block];
	const struct paths_step *step;

	if (edge == WHOLE_NONE || paths->step_of[edge] == PATHS_NONE ||
	    path_emit_has_edge(whole, paths, edge))
		return false;
	step = &paths->steps.items[paths->step_of[edge]];
	if (step->kind != PATHS_PASS || !step->increment)
		return false;
	path_probe_add(emitter, &whole->paths->words, step->increment,
		       whole->cfg->blocks.items[block].live_in,
		       find_scratch(whole, block));
	return true;
}

static bool emit_go(struct whole *whole, struct emitter *emitter, uint32_t block,
		    uint32_t instruction)
{
	const struct path_stretch stretch = whole->stretches.items[block];

	if (instruction != stretch.first || stretch.first == stretch.end)
		return false;
	path_probe_go(emitter, &whole->paths->words, 1 + block, stretch.up);
	return true;
}

static void emit_back(struct whole *whole, struct emitter *emitter, uint32_t block)
{
	const size_t start = emitter->count;

	add_tail(whole, path_probe_back(emitter, &whole->paths->words), start, 1 + block,
		 false);
}

static bool emit_back_before(struct whole *whole, struct emitter *emitter, uint32_t block,
			     uint32_t instruction)
{
	const struct path_stretch stretch = whole->stretches.items[block];

	if (stretch.first == stretch.end || instruction != stretch.end)
		return false;
	emit_back(whole, emitter, block);
	return true;
}

/* Writes what a step does. */
static void emit_step(struct whole *whole, struct emitter *emitter,
		      const struct paths_step *step, uint32_t to, bool keep, bool returns)
{
	const struct paths *paths = whole->paths->paths;
	const int64_t only = paths->only[step->from];
	struct path_end end = {.increment = step->increment,
			       .count = paths->count,
			       .only = only < 0 ? -1 : only + (int64_t)step->value,
			       .returns = returns};
	const uint8_t scratch = find_scratch(whole, to);

	if (step->kind == PATHS_PASS) {
		if (step->increment)
			path_probe_add(emitter, &whole->paths->words, step->increment,
				       keep, scratch);
		return;
	}
	if (paths_goes_on(step)) {
		end.goes_on = true;
		end.then = paths->steps.items[paths->begin_of[to]].increment;
	}
	path_probe_end(emitter, &whole->paths->words, &end, keep, scratch);
}

static bool keeps_flags(const struct cfg *cfg, const struct cfg_edge *edge)
{
	if (edge->to != CFG_OUT)
		return cfg->blocks.items[edge->to].live_in;
	return last_of(cfg, edge->from)->kind != CFG_JUMP ||
	       cfg->blocks.items[edge->from].live_out;
}

bool path_emit_edge(struct whole *whole, struct emitter *emitter, uint32_t edge, bool row)
{
	const struct cfg_edge *way = &whole->cfg->edges.items[edge];
	const size_t from = emitter->count;
	const struct paths *paths;

	if (!whole->paths)
		return false;
	paths = whole->paths->paths;
	if (!path_emit_has_edge(whole, paths, edge))
		return true;
	if (way->kind == CFG_EDGE_FALL && ends_in_stretch(whole, way->from))
		emit_back(whole, emitter, way->from);
	emit_step(whole, emitter, &paths->steps.items[paths->step_of[edge]], way->to,
		  keeps_flags(whole->cfg, way), false);
	if (row)
		map_row_add(emitter, MAP_ROW_PATH_EDGE, 0, from);
	return true;
}

/* Adds the row of a probe, if one was written since `from`. */
static void add_row(struct emitter *emitter, enum map_row_kind kind, size_t from)
{
	if (emitter->count != from)
		map_row_add(emitter, kind, 0, from);
}

void path_emit_entry(struct whole *whole, struct emitter *emitter)
{
	const size_t from = emitter->count;

	if (!whole->paths)
		return;
	emit_begin(whole, emitter, 0);
	add_row(emitter, MAP_ROW_PATH_EDGE, from);
}

void path_emit_before(struct whole *whole, struct emitter *emitter, uint32_t block,
		      uint32_t instruction)
{
	size_t from = emitter->count;

	if (!whole->paths)
		return;
	if (instruction == whole->cfg->blocks.items[block].first &&
	    emit_head(whole, emitter, block)) {
		add_row(emitter, MAP_ROW_PATH, from);
		from = emitter->count;
	}
	if (emit_back_before(whole, emitter, block, instruction)) {
		add_row(emitter, MAP_ROW_PATH, from);
		from = emitter->count;
	}
	if (emit_go(whole, emitter, block, instruction))
		add_row(emitter, MAP_ROW_PATH, from);
}

void path_emit_leave(struct whole *whole, struct emitter *emitter, uint32_t block,
		     uint32_t instruction)
{
	const struct cfg *cfg = whole->cfg;
	const struct cfg_block *row = &cfg->blocks.items[block];
	const uint8_t kind = last_of(cfg, block)->kind;
	const size_t from = emitter->count;
	const struct paths *paths;

	if (!whole->paths || instruction + 1 != row->first + row->count ||
	    (kind != CFG_RETURN && kind != CFG_TAIL_INDIRECT))
		return;
	paths = whole->paths->paths;
	if (paths->step_of[row->first_edge] == PATHS_NONE)
		return;
	emit_step(whole, emitter, &paths->steps.items[paths->step_of[row->first_edge]],
		  CFG_OUT, row->live_out || last_of(cfg, block)->read,
		  kind == CFG_RETURN);
	add_row(emitter, MAP_ROW_PATH, from);
}

/* A jump to a block. */
static void emit_jump_to(struct whole *whole, struct emitter *emitter, uint32_t block)
{
	emit_byte(emitter, 0xe9);
	vector_push(
		&whole->fixups,
		((struct whole_fixup){.offset = (uint32_t)emitter->count, .to = block}));
	emit_word32(emitter, 0);
}

static void emit_tails(struct whole *whole, struct emitter *emitter)
{
	vector_for_each (&whole->tails, tail) {
		int32_t distance = (int32_t)(emitter->count - tail->branch - 4);

		if (!emitter->full)
			memcpy(emitter->code + tail->branch, &distance, sizeof(distance));
		path_probe_tail(emitter, &whole->paths->words, tail->start, tail->site,
				tail->keep);
	}
	whole->tails.count = 0;
}

void path_emit_ends(struct whole *whole, struct emitter *emitter)
{
	const struct cfg *cfg = whole->cfg;

	if (!whole->paths)
		return;
	vector_reserve(&whole->entrances, cfg->blocks.count);
	whole->entrances.count = cfg->blocks.count;
	for (uint32_t b = 0; b < cfg->blocks.count; b++) {
		whole->entrances.items[b] = WHOLE_NONE;
		if (!b || !cfg->blocks.items[b].exposed)
			continue;
		whole->entrances.items[b] = (uint32_t)emitter->count;
		emit_begin(whole, emitter, b);
		emit_jump_to(whole, emitter, b);
	}
	emit_tails(whole, emitter);
}

size_t path_emit_size_max(const struct whole *whole)
{
	return whole->paths ? (whole->cfg->blocks.count * 4 + whole->cfg->edges.count +
			       2) * PATH_PROBE_MAX
			    : 0;
}
