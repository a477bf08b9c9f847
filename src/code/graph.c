#include "code/graph.h"

#include "code/flags.h"
#include "code/switches.h"

#include <string.h>

static int64_t displacement(const uint8_t *bytes, size_t size)
{
	int32_t wide;

	if (size == 1)
		return (int8_t)*bytes;
	memcpy(&wide, bytes, sizeof(wide));
	return wide;
}

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

	return returns ? GRAPH_RETURN : GRAPH_STOP;
}

static uint8_t kind_of(const struct brief *brief)
{
	switch (brief->kind) {
	case BRIEF_JUMP8:
	case BRIEF_JUMP32:
		return GRAPH_JUMP;
	case BRIEF_CONDITION8:
		return is_loop(brief) ? GRAPH_LOOP : GRAPH_CONDITION;
	case BRIEF_CONDITION32:
		return GRAPH_CONDITION;
	case BRIEF_CALL32:
		return GRAPH_CALL;
	case BRIEF_CALL_INDIRECT:
		return GRAPH_CALL_INDIRECT;
	case BRIEF_JUMP_INDIRECT:
		return GRAPH_TAIL_INDIRECT; /* until a table is found */
	case BRIEF_STOP:
		return kind_of_stop(brief);
	case BRIEF_SYSCALL:
		return GRAPH_KERNEL;
	default:
		/* int3, int n */
		return !brief->map && (brief->opcode & 0xfe) == 0xcc ? GRAPH_KERNEL
								     : GRAPH_PLAIN;
	}
}

/* What has no meaning elsewhere: transactions, far returns, operands cut to 32 bits. */
static bool is_odd(const uint8_t *bytes, const struct brief *brief)
{
	bool far_leave =
		!brief->map && ((brief->opcode & 0xfe) == 0xca || brief->opcode == 0xcf);
	bool transaction =
		!brief->map && (brief->opcode & 0xfe) == 0xc6 && brief->modrm == 0xf8;
	bool far = !brief->map && brief->opcode == 0xff && brief->kind != BRIEF_PLAIN &&
		   (brief->modrm & 0x08);

	return far_leave || transaction || far || !is_usual_branch(brief) ||
	       (brief->relative && memchr(bytes, 0x67, brief->relative) != NULL &&
		*bytes == 0x67);
}

/* The flags that the code at `target` reads before it writes them, as far as that can be
 * seen without following branches: those that assembly takes as arguments. */
static uint8_t flags_taken(const struct scan *scan, uint64_t target)
{
	const struct code_segment *segment = map_find(&scan->map, target, 1);
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
		if (kind_of(&brief) != GRAPH_PLAIN)
			break;
	}
	return taken;
}

static void take(struct graph *graph, const struct scan *scan, uint32_t offset,
		 const struct brief *brief)
{
	const uint8_t *bytes = graph->bytes + offset;
	struct flags_effect effect = flags_effect(bytes, brief);
	struct graph_instruction *row = vector_add(&graph->instructions);
	uint64_t end = graph->address + offset + brief->length;

	row->offset = offset;
	row->length = brief->length;
	row->kind = kind_of(brief);
	row->opcode = brief->opcode;
	row->map = brief->map;
	row->relative = brief->relative;
	row->read = effect.read;
	row->written = effect.written;
	if (brief->relative)
		row->target = end + (uint64_t)displacement(bytes + brief->relative, 4);
	else if (row->kind == GRAPH_JUMP || row->kind == GRAPH_CONDITION ||
		 row->kind == GRAPH_LOOP || row->kind == GRAPH_CALL)
		row->target = end + (uint64_t)displacement(bytes + brief->length -
								   brief->immediate,
							   brief->immediate);
	if (row->kind == GRAPH_CALL ||
	    (row->kind == GRAPH_JUMP && row->target - graph->address >= graph->size))
		row->read = flags_taken(scan, row->target);
}

static enum graph_trouble decode(struct graph *graph, const struct scan *scan)
{
	struct brief brief;

	graph->instructions.count = 0;
	for (uint32_t at = 0; at < graph->size; at += brief.length) {
		if (!length_decode(graph->bytes + at, graph->size - at, &brief))
			return GRAPH_UNDECODABLE;
		if (is_odd(graph->bytes + at, &brief))
			return GRAPH_ODD;
		take(graph, scan, at, &brief);
	}
	return GRAPH_FINE;
}

/* block_of while leaders are looked for. */
enum { NOT_STARTED, STARTED, LEADER };

static void mark_starts(struct graph *graph)
{
	vector_reserve(&graph->block_of, graph->size + 1);
	memset(graph->block_of.items, 0,
	       (graph->size + 1) * sizeof(*graph->block_of.items));
	graph->block_of.count = graph->size + 1;
	vector_for_each (&graph->instructions, instruction)
		graph->block_of.items[instruction->offset] = STARTED;
}

static bool is_inside(const struct graph *graph, uint64_t target)
{
	return target - graph->address < graph->size;
}

/* False if no instruction starts there. */
static bool mark_leader(struct graph *graph, uint64_t target)
{
	uint32_t *state = &graph->block_of.items[target - graph->address];

	if (*state == NOT_STARTED)
		return false;
	*state = LEADER;
	return true;
}

bool graph_ends_block(const struct graph_instruction *instruction)
{
	switch (instruction->kind) {
	case GRAPH_PLAIN:
	case GRAPH_CALL:
	case GRAPH_CALL_INDIRECT:
	case GRAPH_KERNEL:
		return false;
	default:
		return true;
	}
}

static bool has_inner_target(const struct graph *graph,
			     const struct graph_instruction *instruction)
{
	return (instruction->kind == GRAPH_JUMP || instruction->kind == GRAPH_CONDITION ||
		instruction->kind == GRAPH_LOOP) &&
	       is_inside(graph, instruction->target);
}

static bool mark_branches(struct graph *graph)
{
	vector_for_each (&graph->instructions, instruction) {
		uint32_t end = instruction->offset + instruction->length;

		if (has_inner_target(graph, instruction) &&
		    !mark_leader(graph, instruction->target))
			return false;
		if (graph_ends_block(instruction) && end < graph->size)
			graph->block_of.items[end] = LEADER;
	}
	return true;
}

/* Targets outside are left to the original code. */
static bool mark_tables(struct graph *graph)
{
	vector_for_each (&graph->tables, table)
		for (uint32_t i = 0; i < table->count; i++) {
			uint64_t target = switches_entry(graph, table, i);

			if (is_inside(graph, target) && !mark_leader(graph, target))
				return false;
		}
	return true;
}

/* Where others lead into the function. `ret_count` does not count the entry. */
static bool mark_exposed(struct graph *graph, const struct code_segment *segment,
			 size_t *ret_count)
{
	size_t start = graph->address - segment->address;

	*ret_count = 0;
	graph->block_of.items[0] = LEADER;
	for (size_t i = 1; i < graph->size; i++) {
		if (!bit_test(segment->exposed, start + i))
			continue;
		if (!mark_leader(graph, graph->address + i))
			return false;
		++*ret_count;
	}
	return true;
}

static void make_blocks(struct graph *graph, const struct code_segment *segment)
{
	struct graph_block *block = NULL;

	graph->blocks.count = 0;
	for (uint32_t i = 0; i < graph->instructions.count; i++) {
		uint32_t offset = graph->instructions.items[i].offset;

		if (graph->block_of.items[offset] == LEADER) {
			block = vector_add(&graph->blocks);
			block->first = i;
			block->exposed = !offset || bit_test(segment->exposed,
							     graph->address + offset -
								     segment->address);
			graph->block_of.items[offset] = (uint32_t)graph->blocks.count;
		} else {
			graph->block_of.items[offset] = 0;
		}
		block->count++;
	}
}

uint32_t graph_block_at(const struct graph *graph, uint64_t address)
{
	uint32_t number;

	if (!is_inside(graph, address))
		return GRAPH_OUT;
	number = graph->block_of.items[address - graph->address];
	return number ? number - 1 : GRAPH_OUT;
}

static void add_edge(struct graph *graph, uint32_t from, uint32_t to, uint8_t kind)
{
	vector_push(&graph->edges,
		    ((struct graph_edge){.from = from, .to = to, .kind = kind}));
}

static void add_switch_edges(struct graph *graph, uint32_t from)
{
	size_t first = graph->edges.count;

	vector_for_each (&graph->tables, table)
		for (uint32_t i = 0; i < table->count; i++) {
			uint32_t to =
				graph_block_at(graph, switches_entry(graph, table, i));
			bool known = false;

			for (size_t e = first; e < graph->edges.count; e++)
				known |= graph->edges.items[e].to == to;
			if (!known)
				add_edge(graph, from, to, GRAPH_EDGE_SWITCH);
		}
}

static void add_edges(struct graph *graph, uint32_t from)
{
	const struct graph_block *block = &graph->blocks.items[from];
	const struct graph_instruction *last =
		&graph->instructions.items[block->first + block->count - 1];
	uint32_t next = from + 1 < graph->blocks.count ? from + 1 : GRAPH_OUT;

	switch (last->kind) {
	case GRAPH_JUMP:
		add_edge(graph, from, graph_block_at(graph, last->target),
			 GRAPH_EDGE_TAKEN);
		break;
	case GRAPH_CONDITION:
	case GRAPH_LOOP:
		add_edge(graph, from, graph_block_at(graph, last->target),
			 GRAPH_EDGE_TAKEN);
		add_edge(graph, from, next, GRAPH_EDGE_FALL);
		break;
	case GRAPH_SWITCH:
		add_switch_edges(graph, from);
		break;
	case GRAPH_RETURN:
	case GRAPH_STOP:
	case GRAPH_TAIL_INDIRECT:
		add_edge(graph, from, GRAPH_OUT, GRAPH_EDGE_RETURN);
		break;
	default:
		add_edge(graph, from, next, GRAPH_EDGE_FALL);
	}
}

static void make_edges(struct graph *graph)
{
	graph->edges.count = 0;
	for (uint32_t i = 0; i < graph->blocks.count; i++) {
		graph->blocks.items[i].first_edge = (uint32_t)graph->edges.count;
		add_edges(graph, i);
		graph->blocks.items[i].edge_count =
			(uint32_t)graph->edges.count - graph->blocks.items[i].first_edge;
	}
}

/* Flags alive behind a block: dead where the function is left, by the ABI; but assembly
 * may return flags, or branch to another function on conditions. */
static uint8_t live_out(const struct graph *graph, const struct graph_block *block)
{
	const struct graph_instruction *last =
		&graph->instructions.items[block->first + block->count - 1];
	uint8_t live = 0;

	if (last->kind == GRAPH_RETURN)
		return graph->returns_flags ? FLAGS_ALL : 0;
	for (uint32_t i = 0; i < block->edge_count; i++) {
		uint32_t to = graph->edges.items[block->first_edge + i].to;

		if (to != GRAPH_OUT)
			live |= graph->blocks.items[to].live_in;
		else if (last->kind == GRAPH_CONDITION || last->kind == GRAPH_LOOP ||
			 last->kind == GRAPH_SWITCH || last->kind == GRAPH_PLAIN)
			live = FLAGS_ALL;
	}
	return live;
}

uint8_t graph_live_before(const struct graph_instruction *instruction, uint8_t live)
{
	/* The callee may do as it likes with them. */
	if (instruction->kind == GRAPH_CALL || instruction->kind == GRAPH_CALL_INDIRECT)
		return instruction->read;
	return (uint8_t)((live & ~instruction->written) | instruction->read);
}

/* Backwards over the blocks until nothing changes. */
static void find_live_flags(struct graph *graph)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t i = graph->blocks.count; i--;) {
			struct graph_block *block = &graph->blocks.items[i];
			uint8_t live = live_out(graph, block);

			block->live_out = live;
			for (uint32_t j = block->first + block->count;
			     j-- > block->first;)
				live = graph_live_before(&graph->instructions.items[j],
							 live);
			changed |= live != block->live_in;
			block->live_in = live;
		}
	}
}

/* Calls behind which flags are alive: their callees return them. */
static void find_flag_calls(struct graph *graph)
{
	graph->flag_calls.count = 0;
	vector_for_each (&graph->blocks, block) {
		uint8_t live = block->live_out;

		for (uint32_t j = block->first + block->count; j-- > block->first;) {
			const struct graph_instruction *row =
				&graph->instructions.items[j];

			if (live && row->kind == GRAPH_CALL)
				vector_push(&graph->flag_calls, row->target);
			live = graph_live_before(row, live);
		}
	}
}

/* Whether other functions lie in the range of this one, or it in theirs. */
static bool overlaps(const struct image *image, uint32_t index)
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

enum graph_trouble graph_build(struct graph *graph, const struct scan *scan,
			       const struct image *image, uint32_t index)
{
	const struct image_function *function = &image->functions.items[index];
	const struct code_segment *segment =
		map_find(&scan->map, function->address, function->size);
	enum graph_trouble trouble;
	size_t exposed;

	if (!segment || !(scan->traits[index] & SCAN_WHOLE))
		return GRAPH_UNDECODABLE;
	if (overlaps(image, index))
		return GRAPH_ODD;
	graph->address = function->address;
	graph->size = function->size;
	graph->bytes = segment->bytes + (function->address - segment->address);
	trouble = decode(graph, scan);
	if (trouble)
		return trouble;
	mark_starts(graph);
	if (!switches_find(graph, scan, image))
		return GRAPH_INDIRECT;
	if (!mark_branches(graph) || !mark_tables(graph) ||
	    !mark_exposed(graph, segment, &exposed))
		return GRAPH_ODD;
	if (exposed && switches_has_tail(graph))
		return GRAPH_INDIRECT;
	make_blocks(graph, segment);
	make_edges(graph);
	find_live_flags(graph);
	find_flag_calls(graph);
	return GRAPH_FINE;
}

void graph_deinit(struct graph *graph)
{
	vector_deinit(&graph->instructions);
	vector_deinit(&graph->blocks);
	vector_deinit(&graph->edges);
	vector_deinit(&graph->tables);
	vector_deinit(&graph->block_of);
	vector_deinit(&graph->flag_calls);
}
