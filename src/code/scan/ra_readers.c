#include "code/scan/ra_readers.h"

#include "base/array.h"
#include "base/vector.h"
#include "code/scan/cold_parts.h"
#include "image/contents.h"
#include "x86/length.h"

#include <stdlib.h>
#include <string.h>

enum { RSP = 4, RBP = 5, WORD = 8, NO_DEPTH = INT32_MIN, LEA = 0x8d };

/* Bytes of a function that are read to know whether it is suspect, by its beginning
 * alone; and how deep the stack is at most where a copy of its pointer makes it so. */
enum { BEGINNING = 32, NEAR = 16 };

/* A branch of a function into a cold part. */
struct way_out {
	size_t part; /* index in image.cold_parts */
	uint32_t function;
	uint32_t offset; /* in the part */
	int32_t depth, frame_depth;
	bool linked;
};

/* State of the stack at one instruction of a function. Depths are bytes from the stack
 * pointer (or rbp) to the return address. */
struct reading {
	const uint8_t *bytes; /* of the function */
	uint64_t size;
	int32_t depth;
	int32_t frame_depth; /* of rbp; NO_DEPTH: it points to no frame */
	bool linked;         /* rbp points to the caller's, as frame pointers do */
	bool pushed;         /* the last instruction has pushed rbp */
	int32_t deepest;
	struct VECTOR(int32_t) known; /* by offset: the depth that a branch brings */
	const struct image *image;    /* NULL: exits of the read code are not noted */
	uint64_t address;             /* of the function */
	uint32_t function;
	struct VECTOR(struct way_out) outs;
	enum ra_reader found;
	bool suspect; /* see ra_readers_find */
};

/* An instruction's operands, as far as they matter. */
struct operand {
	struct brief brief;
	uint8_t rex;
	bool segment;     /* fs or gs */
	bool vector;      /* VEX or EVEX */
	bool memory;      /* [base + displacement], without an index */
	uint8_t mod, reg; /* reg with REX.R */
	uint8_t base;     /* with REX.B; of mod 3 the register */
	int32_t displacement;
};

static int32_t signed_bytes(const uint8_t *bytes, size_t size)
{
	int32_t wide = 0;

	if (size == 1)
		return (int8_t)*bytes;
	if (size == 4)
		memcpy(&wide, bytes, sizeof(wide));
	return wide;
}

static void read_prefixes(const uint8_t *bytes, struct operand *operand)
{
	static const uint8_t prefixes[] = {0x66, 0x67, 0xf2, 0xf3, 0x2e,
					   0x36, 0x3e, 0x26, 0x64, 0x65};

	while (memchr(prefixes, *bytes, sizeof(prefixes))) {
		operand->segment |= *bytes == 0x64 || *bytes == 0x65;
		bytes++;
	}
	if ((*bytes & 0xf0) == 0x40)
		operand->rex = *bytes;
	operand->vector = *bytes == 0xc4 || *bytes == 0xc5 || *bytes == 0x62;
}

/* The ModRM byte and what belongs to it lie in front of the immediate. */
static void read_modrm(const uint8_t *bytes, struct operand *operand)
{
	static const uint8_t sizes[] = {0, 1, 4, 0};
	const struct brief *brief = &operand->brief;
	size_t end = brief->length - brief->immediate, size = sizes[brief->modrm >> 6];
	uint8_t low = brief->modrm & 7;

	operand->mod = brief->modrm >> 6;
	operand->reg = (uint8_t)((brief->modrm >> 3 & 7) | (operand->rex & 4) << 1);
	operand->base = (uint8_t)(low | (operand->rex & 1) << 3);
	if (operand->mod == 3 || !brief->modrm || (operand->mod == 0 && low == RBP))
		return;
	operand->memory = !operand->segment && !operand->vector;
	operand->displacement = signed_bytes(bytes + end - size, size);
	if (low == RSP) {
		uint8_t sib = bytes[end - size - 1];

		operand->base = (uint8_t)((sib & 7) | (operand->rex & 1) << 3);
		/* No index; and with mod 0 base 5 means no base. */
		operand->memory &= (sib >> 3 & 7) == RSP && !(operand->rex & 2) &&
				   !(operand->mod == 0 && (sib & 7) == RBP);
	}
}

static bool decode_operand(const struct reading *reading, uint64_t at,
			   struct operand *operand)
{
	*operand = (struct operand){0};
	if (!length_decode(reading->bytes + at, reading->size - at, &operand->brief))
		return false;
	read_prefixes(reading->bytes + at, operand);
	read_modrm(reading->bytes + at, operand);
	return true;
}

static void note_use(struct reading *reading, enum ra_reader what)
{
	if (what > reading->found)
		reading->found = what;
}

/* Whether the instruction only writes to its memory operand. */
static bool is_store(const struct brief *brief)
{
	return !brief->map && (brief->opcode == 0x88 || brief->opcode == 0x89 ||
			       brief->opcode == 0xc6 || brief->opcode == 0xc7);
}

static bool is_load(const struct brief *brief)
{
	return !brief->map && brief->opcode == 0x8b;
}

/* Whether a memory operand is the return address, or the caller's frame. */
static void look_at_operand(struct reading *reading, const struct operand *operand)
{
	int32_t depth;

	if (!operand->memory)
		return;
	if (operand->base == RSP)
		depth = reading->depth;
	else if (operand->base == RBP && reading->frame_depth != NO_DEPTH)
		depth = reading->frame_depth;
	else
		return;
	reading->suspect |=
		operand->displacement > depth - WORD &&
		operand->displacement <= depth + WORD &&
		(operand->displacement < depth + WORD || operand->brief.opcode == LEA);
	if (is_store(&operand->brief))
		return;
	if (operand->displacement == depth)
		note_use(reading, RA_READER_OWN);
	if (operand->base == RBP && reading->linked && !operand->displacement &&
	    is_load(&operand->brief))
		note_use(reading, RA_READER_STACK);
}

/* A frame pointer that goes to another register may be followed there. */
static void look_at_frame_pointer(struct reading *reading, const struct operand *operand)
{
	const struct brief *brief = &operand->brief;
	bool from = brief->opcode == 0x89 && operand->reg == RBP && operand->base != RSP;
	bool to = brief->opcode == 0x8b && operand->base == RBP && operand->reg != RSP;

	if (!brief->map && brief->modrm && operand->mod == 3 && (from || to) &&
	    reading->frame_depth != NO_DEPTH && reading->linked)
		note_use(reading, RA_READER_STACK);
}

static void push_bytes(struct reading *reading, int32_t bytes)
{
	if (bytes < 0 && reading->depth == 0) {
		note_use(reading, RA_READER_OWN);
		reading->suspect = true;
	}
	reading->depth += bytes;
	if (reading->depth > reading->deepest)
		reading->deepest = reading->depth;
}

static void set_frame(struct reading *reading, int32_t depth)
{
	reading->frame_depth = depth;
}

/* mov and lea between rsp and rbp. */
static void move_pointers(struct reading *reading, const struct operand *operand)
{
	const struct brief *brief = &operand->brief;
	uint8_t to = brief->opcode == 0x89 ? operand->base : operand->reg;
	uint8_t from = brief->opcode == 0x89 ? operand->reg : operand->base;
	int32_t up = operand->displacement;

	if (brief->opcode == LEA ? !operand->memory : operand->mod != 3)
		return;
	reading->suspect |= from == RSP && to != RBP && to != RSP &&
			    brief->opcode != LEA && reading->depth <= NEAR;
	if (to == RBP && from == RSP) {
		set_frame(reading, reading->depth - up);
		reading->linked = reading->pushed && brief->opcode != LEA;
	}
	if (to == RSP && from == RSP)
		reading->depth -= up;
	else if (to == RSP && from == RBP && reading->frame_depth != NO_DEPTH)
		reading->depth = reading->frame_depth - up;
	else if (to == RBP && from != RSP)
		set_frame(reading, NO_DEPTH);
}

/* add, sub and the like with rsp. */
static void add_to_pointer(struct reading *reading, const struct operand *operand,
			   const uint8_t *end)
{
	int32_t value =
		signed_bytes(end - operand->brief.immediate, operand->brief.immediate);
	unsigned operation = operand->brief.modrm >> 3 & 7;

	if (operand->mod != 3 || operand->base != RSP)
		return;
	if (operation == 0)
		reading->depth -= value;
	else if (operation == 5)
		push_bytes(reading, value);
	reading->suspect |= reading->depth < 0;
}

static void step_stack(struct reading *reading, const struct operand *operand,
		       const uint8_t *end)
{
	const struct brief *brief = &operand->brief;

	if (brief->map)
		return;
	switch (brief->opcode) {
	case 0x50 ... 0x57:
	case 0x68:
	case 0x6a:
	case 0x9c:
		push_bytes(reading, WORD);
		break;
	case 0x58 ... 0x5f:
	case 0x8f:
	case 0x9d:
		push_bytes(reading, -WORD);
		if (brief->opcode == 0x58 + RBP && !(operand->rex & 1))
			set_frame(reading, NO_DEPTH);
		break;
	case 0xff:
		if ((brief->modrm >> 3 & 7) == 6)
			push_bytes(reading, WORD);
		break;
	case 0x81:
	case 0x83:
		add_to_pointer(reading, operand, end);
		break;
	case 0x89:
	case 0x8b:
	case 0x8d:
		move_pointers(reading, operand);
		break;
	case 0xc9:
		if (reading->frame_depth != NO_DEPTH)
			reading->depth = reading->frame_depth - WORD;
		set_frame(reading, NO_DEPTH);
		break;
	default:
		break;
	}
}

static bool ends_way(const struct brief *brief)
{
	return brief->kind == BRIEF_STOP || brief->kind == BRIEF_JUMP8 ||
	       brief->kind == BRIEF_JUMP32 || brief->kind == BRIEF_JUMP_INDIRECT;
}

/* A branch out of the function: perhaps into a part of it. */
static void note_out(struct reading *reading, uint64_t target)
{
	const struct image_ranges *parts;
	size_t part;

	if (!reading->image || !reading->image->cold_parts.count)
		return;
	parts = &reading->image->cold_parts;
	part = ranges_find(parts->items, parts->count, target);
	if (part == parts->count || target < parts->items[part].start)
		return;
	vector_push(
		&reading->outs,
		((struct way_out){.part = part,
				  .function = reading->function,
				  .offset = (uint32_t)(target - parts->items[part].start),
				  .depth = reading->depth,
				  .frame_depth = reading->frame_depth,
				  .linked = reading->linked}));
}

/* Follows a branch to its targets. Returns whether it leaves the function, by a return or
 * a tail call: rbp was popped then. */
static bool step_branch(struct reading *reading, const struct brief *brief, uint64_t next)
{
	int32_t frame = reading->frame_depth, depth = reading->depth;
	bool ends = ends_way(brief);
	bool leads = brief->kind == BRIEF_JUMP8 || brief->kind == BRIEF_CONDITION8 ||
		     brief->kind == BRIEF_JUMP32 || brief->kind == BRIEF_CONDITION32;
	bool leaves = brief->kind == BRIEF_STOP;

	if (leads) {
		uint64_t target = next + (uint64_t)(int64_t)signed_bytes(
						 reading->bytes + next - brief->immediate,
						 brief->immediate);

		if (target < reading->size && target >= next)
			reading->known.items[target] = depth;
		else if (target >= reading->size)
			note_out(reading, reading->address + target);
		leaves = ends && target >= reading->size;
	}
	if (!ends)
		return false;
	/* As deep as the body was. */
	if (leaves)
		reading->depth = reading->deepest;
	reading->frame_depth = frame;
	return leaves;
}

static void begin_reading(struct reading *reading)
{
	vector_reserve(&reading->known, reading->size + 1);
	for (uint64_t i = 0; i < reading->size; i++)
		reading->known.items[i] = NO_DEPTH;
	reading->depth = reading->deepest = 0;
	reading->frame_depth = NO_DEPTH;
	reading->found = RA_READER_NONE;
	reading->suspect = false;
	reading->pushed = reading->linked = false;
}

static enum ra_reader read_function(struct reading *reading)
{
	struct operand operand;
	int32_t frame = NO_DEPTH;

	begin_reading(reading);
	for (uint64_t at = 0; at < reading->size; at += operand.brief.length) {
		if (!decode_operand(reading, at, &operand))
			break;
		if (reading->known.items[at] != NO_DEPTH)
			reading->depth = reading->known.items[at];
		look_at_operand(reading, &operand);
		look_at_frame_pointer(reading, &operand);
		step_stack(reading, &operand, reading->bytes + at + operand.brief.length);
		reading->pushed = !operand.brief.map && !(operand.rex & 1) &&
				  operand.brief.opcode == 0x50 + RBP;
		if (reading->frame_depth != NO_DEPTH)
			frame = reading->frame_depth;
		if (step_branch(reading, &operand.brief, at + operand.brief.length))
			reading->frame_depth = frame;
	}
	return reading->found;
}

/* A cold part, as far as it is entered by branches of one function: ways out [first,
 * end). What else leads there brings a depth that is not known. */
static enum ra_reader read_part(struct reading *reading, const struct way_out *first,
				const struct way_out *end)
{
	struct operand operand;
	enum ra_reader found;
	bool entered = false;

	begin_reading(reading);
	reading->frame_depth = first->frame_depth;
	reading->linked = first->linked;
	for (const struct way_out *way = first; way < end; way++)
		reading->known.items[way->offset] = way->depth;
	for (uint64_t at = 0; at < reading->size; at += operand.brief.length) {
		if (!decode_operand(reading, at, &operand))
			break;
		if (reading->known.items[at] != NO_DEPTH) {
			reading->depth = reading->known.items[at];
			entered = true;
		}
		if (!entered)
			continue;
		look_at_operand(reading, &operand);
		look_at_frame_pointer(reading, &operand);
		found = reading->found;
		step_stack(reading, &operand, reading->bytes + at + operand.brief.length);
		step_branch(reading, &operand.brief, at + operand.brief.length);
		/* If more is popped than was pushed, the depth is wrong. */
		entered = !ends_way(&operand.brief) && reading->depth >= 0;
		if (reading->depth < 0)
			reading->found = found;
	}
	return reading->found;
}

static int by_part(const void *left, const void *right)
{
	const struct way_out *a = left, *b = right;

	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Attributes reads in cold parts to their functions. */
static void read_parts(struct reading *reading, const struct image *image,
		       uint8_t *readers)
{
	const struct way_out *way = reading->outs.items, *first;
	const struct way_out *end = way + reading->outs.count;

	reading->image = NULL;
	if (reading->outs.count)
		qsort(reading->outs.items, reading->outs.count, sizeof(*way), by_part);
	while (way < end) {
		const struct image_range *part = &image->cold_parts.items[way->part];
		enum ra_reader found = RA_READER_NONE;

		for (first = way; way < end && way->part == first->part &&
				  way->function == first->function;)
			way++;
		reading->size = part->end - part->start;
		reading->bytes = image_bytes_at(image, part->start, reading->size);
		if (reading->bytes)
			found = read_part(reading, first, way);
		if (found > readers[first->function])
			readers[first->function] = (uint8_t)found;
	}
}

/* Entries of libgcc's, LLVM's and Nongnu's unwinders, and of libtrammel's. backtrace(3)
 * calls the first. The C library has a _Unwind_ForcedUnwind that leads to libgcc's. */
static enum ra_reader reader_named(const char *name)
{
	static const struct {
		const char *name;
		enum ra_reader reader;
	} rows[] = {
		{"_Unwind_Backtrace", RA_READER_UNWINDER},
		{"_Unwind_RaiseException", RA_READER_UNWINDER},
		{"_Unwind_Resume_or_Rethrow", RA_READER_UNWINDER},
		{"_Unwind_ForcedUnwind", RA_READER_STACK},
		/* Frames further up were restored when the exception was raised. */
		{"_Unwind_Resume", RA_READER_OWN},
		{"__unw_getcontext", RA_READER_UNWINDER},
		{"__unw_init_local", RA_READER_UNWINDER},
		{"unw_getcontext", RA_READER_UNWINDER},
		{"unw_init_local", RA_READER_UNWINDER},
		{"_Ux86_64_getcontext", RA_READER_UNWINDER},
		{"_Ux86_64_getcontext_trace", RA_READER_UNWINDER},
		{"_ULx86_64_init_local", RA_READER_UNWINDER},
		{"_ULx86_64_init_local2", RA_READER_UNWINDER},
		{"_Ux86_64_init_local", RA_READER_UNWINDER},
		{"_Ux86_64_init_local2", RA_READER_UNWINDER},
		{"_Ux86_64_backtrace", RA_READER_UNWINDER},
		{"unw_backtrace", RA_READER_UNWINDER},
		{"trm_runtime_walk_here", RA_READER_UNWINDER},
		{"trm_runtime_walk_signal", RA_READER_UNWINDER},
	};

	for (size_t i = 0; i < array_count(rows); i++)
		if (!strcmp(rows[i].name, name))
			return rows[i].reader;
	return RA_READER_NONE;
}

bool ra_readers_have_unwinder(const struct image *image, const uint8_t *readers)
{
	return memchr(readers, RA_READER_UNWINDER, image->functions.count) != NULL;
}

/* Finds readers by their names. */
static uint8_t *find_named(const struct image *image)
{
	uint8_t *readers = memory_allocate_zeroed(image->functions.count + 1, 1);

	for (size_t i = 0; i < image->functions.count; i++) {
		const struct image_function *function = &image->functions.items[i];

		if (function->name && !(function->flags & IMAGE_FUNCTION_COLD_PART))
			readers[i] = (uint8_t)reader_named(image->names.items +
							   function->name);
	}
	return readers;
}

/* Reads a function that is no part, also one known by its name, as it may lead into
 * parts. Returns whether it is a suspect. */
static bool read_one(struct reading *reading, const struct image *image, uint32_t index,
		     uint8_t *readers)
{
	const struct image_function *function = &image->functions.items[index];
	enum ra_reader found;

	reading->image = image;
	reading->bytes = image_bytes_at(image, function->address, function->size);
	reading->size = function->size;
	reading->address = function->address;
	reading->function = index;
	if (!reading->bytes)
		return false;
	found = read_function(reading);
	if (!readers[index])
		readers[index] = (uint8_t)found;
	return reading->suspect;
}

static void end_reading(struct reading *reading)
{
	vector_deinit(&reading->known);
	vector_deinit(&reading->outs);
}

bool ra_readers_read(const struct image *image, uint32_t index, uint8_t *readers)
{
	struct reading reading = {0};
	bool suspect = read_one(&reading, image, index, readers);

	read_parts(&reading, image, readers);
	end_reading(&reading);
	return suspect;
}

uint8_t *ra_readers_find(const struct image *image, struct ra_readers_suspects *suspects)
{
	uint8_t *readers = find_named(image);
	struct reading reading = {0};

	for (uint32_t i = 0; i < image->functions.count; i++)
		if (!(image->functions.items[i].flags & IMAGE_FUNCTION_COLD_PART) &&
		    read_one(&reading, image, i, readers))
			vector_push(suspects, i);
	read_parts(&reading, image, readers);
	for (uint32_t i = 0; i < image->functions.count; i++)
		readers[i] = readers[cold_parts_owner(image, i)];
	end_reading(&reading);
	return readers;
}

/* Whether there is a direct call among the first instructions. */
static bool begins_with_call(const struct image *image,
			     const struct image_function *function)
{
	enum { FIRST = 16 };
	const uint64_t size = function->size < FIRST ? function->size : FIRST;
	const uint8_t *bytes = image_bytes_at(image, function->address, size);
	struct brief brief;

	for (uint64_t at = 0; bytes && at < size; at += brief.length) {
		if (!length_decode(bytes + at, size - at, &brief))
			return false;
		if (brief.kind == BRIEF_CALL32)
			return true;
	}
	return false;
}

uint8_t *ra_readers_find_first(const struct image *image)
{
	uint8_t *readers = find_named(image);

	for (uint32_t i = 0; i < image->functions.count; i++) {
		const struct image_function *function = &image->functions.items[i];

		if (!(function->flags & IMAGE_FUNCTION_COLD_PART) &&
		    begins_with_call(image, function))
			ra_readers_read(image, i, readers);
	}
	return readers;
}

void ra_readers_suspect(const struct image *image, struct ra_readers_suspects *suspects)
{
	struct reading reading = {0};

	for (uint32_t i = 0; i < image->functions.count; i++) {
		const struct image_function *function = &image->functions.items[i];

		reading.size = function->size < BEGINNING ? function->size : BEGINNING;
		reading.bytes = image_bytes_at(image, function->address, reading.size);
		if (function->flags & IMAGE_FUNCTION_COLD_PART || !reading.bytes)
			continue;
		read_function(&reading);
		if (reading.suspect)
			vector_push(suspects, i);
	}
	end_reading(&reading);
}
