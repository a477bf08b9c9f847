#include "code/stretch/stretch.h"

#include "code/stretch/stretch_calls.h"
#include "code/stretch/stretch_write.h"
#include "x86/decode.h"
#include "x86/insn_class.h"

enum {
	RAX,
	RCX,
	RDX,
	RSP = 4,
	LENGTH_MAX = 15,
	GENERAL = 0xffff,
	WITHOUT_PREFIX = 0x00cf, /* registers that stand in ModRM without a SIB byte, and
				    without a bit of a prefix */
	STEP_CODE_MAX = 800,     /* bytes that one step takes at most, with its end */
	END_CODE_MAX = 24,       /* bytes of an end */
	X87_WORDS = 64,
	STEP_WORDS_MAX = X87_WORDS + 24,
	VECTORS_MAX = 4, /* written by one instruction; vzeroall is not told */
};

static const uint8_t system_call[] = {0x0f, 0x05};

/* A way that is still to be written: from a jump to it on. */
struct pending {
	uint64_t address;
	uint32_t from; /* where the 4 bytes are that lead there; 0: it is the first */
	uint16_t last;
	uint16_t word;
	uint32_t left; /* instructions */
	uint32_t call; /* the number in eax, plus 1; 0: it is not known */
};

struct maker {
	const struct stretch_request *request;
	struct stretch_writer writer;
	struct VECTOR(struct pending) pending;
};

/* The instruction being copied. */
struct original {
	uint8_t bytes[LENGTH_MAX];
	struct instruction row;
	struct all_operands all;
	uint64_t next;
	bool changes;  /* its bytes may change at any time */
	bool call;     /* a system call */
	uint16_t free; /* general registers that it neither reads nor writes */
	uint16_t word; /* the next one for a value */
};

/* From here on a thread is at `address`, with the steps up to `last` told. */
static void add_row(struct maker *maker, uint64_t address, uint16_t last, unsigned saved)
{
	const struct stretch_row row = {.offset = (uint16_t)stretch_here(&maker->writer),
					.saved = (uint16_t)saved,
					.last = last,
					.address = address};

	vector_push(&maker->writer.stretch->rows, row);
}

static void add_target_row(struct maker *maker, uint16_t last)
{
	add_row(maker, 0, last, 0);
	maker->writer.stretch->rows.items[maker->writer.stretch->rows.count - 1]
		.by_target = true;
}

static void add_end(struct maker *maker, struct stretch_end end)
{
	struct stretch *stretch = maker->writer.stretch;

	vector_push(&stretch->ends, end);
	stretch_store_constant(&maker->writer, (uint32_t)stretch->ends.count,
			       STRETCH_WORD_END);
}

static void leave_at(struct maker *maker, uint64_t address, uint16_t last,
		     enum stretch_why why)
{
	add_row(maker, address, last, 0);
	add_end(maker,
		(struct stretch_end){.last = last, .why = (uint8_t)why, .next = address});
	stretch_jump(&maker->writer, address);
}

/* Borrows a register: from its row on its value is in memory. */
static void borrow_register(struct maker *maker, unsigned int number, uint64_t address,
			    uint16_t last)
{
	stretch_store(&maker->writer, number, STRETCH_WORD_SAVED + number);
	add_row(maker, address, last, 1u << number);
}

static void give_back(struct maker *maker, unsigned int number, uint64_t address,
		      uint16_t last)
{
	stretch_load(&maker->writer, number, STRETCH_WORD_SAVED + number);
	add_row(maker, address, last, 0);
}

static void tell_value(struct maker *maker, struct original *original, uint8_t kind,
		       uint8_t number, unsigned int words)
{
	struct stretch *stretch = maker->writer.stretch;
	const struct stretch_value value = {kind, number, original->word};

	vector_push(&stretch->values, value);
	stretch->steps.items[stretch->steps.count - 1].value_count++;
	original->word = (uint16_t)(original->word + words);
}

static bool has_prefix(const struct original *original, uint8_t prefix)
{
	/* Legacy prefixes stand in front, in any order. */
	for (unsigned int i = 0; i < original->all.length; i++) {
		const uint8_t byte = original->bytes[i];

		if (byte == prefix)
			return true;
		if (byte != 0x66 && byte != 0x67 && byte != 0xf0 && byte != 0xf2 &&
		    byte != 0xf3 && byte != 0x2e && byte != 0x36 && byte != 0x3e &&
		    byte != 0x26 && byte != 0x64 && byte != 0x65)
			return false;
	}
	return false;
}

/* Instructions that cannot be executed elsewhere, or whose effect on the stack pointer is
 * not told: the stretch ends in front of them. */
static bool is_left_alone(const struct original *original)
{
	const struct instruction *row = &original->row;
	const bool branch = row->kind != INSTRUCTION_PLAIN;

	return (row->fixed &&
		!(original->all.repeated && row->kind == INSTRUCTION_PLAIN &&
		  original->all.class == INSN_STRING)) ||
	       row->kind == INSTRUCTION_LOOP || has_prefix(original, 0x67) ||
	       (branch && has_prefix(original, 0x66));
}

/* Whether an instruction makes a system call that a copy of it may make. */
static bool is_copied_call(const struct maker *maker, const struct pending *way,
			   const struct original *original)
{
	return maker->request->calls && way->call && !original->changes &&
	       original->row.length == sizeof(system_call) &&
	       !memcmp(original->bytes, system_call, sizeof(system_call)) &&
	       stretch_call_is_copied(way->call - 1);
}

static bool read_original(const struct maker *maker, const struct pending *way,
			  struct original *original)
{
	const struct stretch_request *request = maker->request;
	const uint64_t address = way->address;
	const size_t size = request->read(request->context, address, original->bytes,
					  sizeof(original->bytes), &original->changes);

	if (!size || !decode_any(original->bytes, size, address, &original->row) ||
	    !all_operands_read(original->bytes, size, address, &original->all))
		return false;
	original->call = is_copied_call(maker, way, original);
	if (!original->call && is_left_alone(original))
		return false;
	original->next = address + original->row.length;
	original->free = (uint16_t)(GENERAL & ~(1u << RSP) &
				    ~(original->all.reads | original->all.writes));
	return true;
}

/* Notes the bytes that the code depends on. */
static void note_original(struct stretch *stretch, const struct original *original)
{
	const uint8_t size = original->row.length;
	struct stretch_part *part =
		stretch->parts.count ? &stretch->parts.items[stretch->parts.count - 1]
				     : NULL;

	if (!part || part->address + part->size != original->row.address) {
		vector_push(&stretch->parts,
			    ((struct stretch_part){original->row.address, 0,
						   (uint32_t)stretch->original.count}));
		part = &stretch->parts.items[stretch->parts.count - 1];
	}
	part->size += size;
	vector_reserve(&stretch->original, stretch->original.count + size);
	memcpy(stretch->original.items + stretch->original.count, original->bytes, size);
	stretch->original.count += size;
}

/* bt and the like with a register address beyond their operand. */
static bool is_bit_test(const struct all_operands *all)
{
	return all->map == 1 && (all->opcode == 0xa3 || all->opcode == 0xab ||
				 all->opcode == 0xb3 || all->opcode == 0xbb);
}

/* Whether each element of a vector operand is accessed only if a mask says so. */
static bool is_masked(const struct all_operands *all)
{
	const char *name = insn_mnemonic_name(all->mnemonic);

	for (unsigned int i = 0; i < all->count; i++)
		if (all->items[i].kind == ALL_OPERANDS_REGISTER && all->items[i].reads &&
		    all->items[i].number >= ALL_OPERANDS_K0 + 1 &&
		    all->items[i].number < ALL_OPERANDS_VECTOR0)
			return true;
	return strstr(name, "maskmov") != NULL;
}

/* enter and leave: what they access is not by rsp as it was. */
static bool is_frame(const struct all_operands *all)
{
	return !all->map && (all->opcode == 0xc8 || all->opcode == 0xc9);
}

/* What an operand's address is; `told` is false if it has none of the usual form. */
static struct stretch_memory read_memory(const struct all_operands *all,
					 const struct operand *operand)
{
	const bool stack = operand->implicit && operand->base == RSP;
	struct stretch_memory memory = {
		.base = operand->base,
		.index = operand->index,
		.scale = operand->scale,
		.segment = operand->segment,
		.reads = operand->reads,
		.writes = operand->writes,
		.size = operand->bits / 8 <= 64 ? operand->bits / 8 : 0,
		.displacement = operand->value,
	};
	const bool pops_by_stack = !stack && (all->writes >> RSP & 1) &&
				   (operand->base == RSP || operand->index == RSP);

	memory.told = !operand->gathered && !is_bit_test(all) && !pops_by_stack &&
		      !is_frame(all) &&
		      (operand->base < 16 || operand->base == ALL_OPERANDS_RIP ||
		       operand->base == ALL_OPERANDS_NONE) &&
		      (operand->index < 16 || operand->index == ALL_OPERANDS_NONE) &&
		      (!operand->implicit || stack || all->class == INSN_STRING);
	if (stack) {
		memory.pushed = operand->writes;
		memory.displacement = 0;
	}
	return memory;
}

/* Whether the value of an operand can be read beside the instruction's own access. */
static bool is_readable(const struct all_operands *all,
			const struct stretch_memory *memory)
{
	return memory->told && memory->size && !all->repeated && !is_masked(all) &&
	       (memory->base == ALL_OPERANDS_RIP ||
		memory->displacement == (int32_t)memory->displacement);
}

static void take_memory(struct stretch_step *step, const struct all_operands *all)
{
	for (unsigned int i = 0; i < all->count; i++)
		if (all->items[i].kind == ALL_OPERANDS_MEMORY &&
		    step->memory_count < STRETCH_MEMORY_MAX)
			step->memory[step->memory_count++] =
				read_memory(all, &all->items[i]);
}

static struct stretch_step *add_step(struct maker *maker, const struct original *original,
				     uint16_t before)
{
	struct stretch *stretch = maker->writer.stretch;
	struct stretch_step step = {
		.address = original->row.address,
		.before = before,
		.length = original->row.length,
		.first_value = (uint16_t)stretch->values.count,
	};

	take_memory(&step, &original->all);
	vector_push(&stretch->steps, step);
	note_original(stretch, original);
	return &stretch->steps.items[stretch->steps.count - 1];
}

/* A register out of a set; -1: it is empty. */
static int any_of(unsigned int set)
{
	return set ? __builtin_ctz(set) : -1;
}

/* The value of a memory operand, by a load of our own. A fault of it is the original's,
 * since the thread is at that then. */
static void tell_memory(struct maker *maker, struct original *original,
			unsigned int number, uint8_t kind, uint64_t address)
{
	const struct stretch *stretch = maker->writer.stretch;
	const struct stretch_step *step = &stretch->steps.items[stretch->steps.count - 1];
	const uint16_t last = step->before;
	const int scratch = any_of(original->free);

	if (scratch < 0)
		return;
	borrow_register(maker, (unsigned int)scratch, address, last);
	stretch_load_memory(&maker->writer, (unsigned int)scratch, &step->memory[number]);
	stretch_store(&maker->writer, (unsigned int)scratch, original->word);
	give_back(maker, (unsigned int)scratch, address, last);
	tell_value(maker, original, kind, (uint8_t)number, 1);
}

/* Reads the clock, with all that is before it done; rax and rdx are borrowed. */
static void read_clock(struct maker *maker, unsigned int word)
{
	/* lfence; rdtsc; lfence; shl $32, %rdx would change flags: eax alone will do. */
	STRETCH_BYTES(&maker->writer, 0x0f, 0xae, 0xe8, 0x0f, 0x31, 0x0f, 0xae, 0xe8);
	stretch_store(&maker->writer, RAX, word);
}

/* A load like the instruction's, between two readings of the clock. */
static void tell_ticks(struct maker *maker, struct original *original,
		       unsigned int number)
{
	struct stretch_writer *writer = &maker->writer;
	const struct stretch_step *step =
		&writer->stretch->steps.items[writer->stretch->steps.count - 1];
	const uint64_t address = original->row.address;
	const int scratch = any_of(original->free & ~(1u << RAX | 1u << RDX));
	const unsigned int clocks = 1u << RAX | 1u << RDX;

	if (scratch < 0)
		return;
	borrow_register(maker, (unsigned int)scratch, address, step->before);
	stretch_store(writer, RAX, STRETCH_WORD_SAVED + RAX);
	stretch_store(writer, RDX, STRETCH_WORD_SAVED + RDX);
	add_row(maker, address, step->before, clocks | 1u << scratch);
	read_clock(maker, original->word);
	stretch_load(writer, RAX, STRETCH_WORD_SAVED + RAX);
	stretch_load(writer, RDX, STRETCH_WORD_SAVED + RDX);
	stretch_load_memory(writer, (unsigned int)scratch, &step->memory[number]);
	read_clock(maker, original->word + 1u);
	stretch_load(writer, RAX, STRETCH_WORD_SAVED + RAX);
	stretch_load(writer, RDX, STRETCH_WORD_SAVED + RDX);
	give_back(maker, (unsigned int)scratch, address, step->before);
	tell_value(maker, original, STRETCH_TICKS, (uint8_t)number, 2);
}

static void tell_loads(struct maker *maker, struct original *original)
{
	const struct stretch *stretch = maker->writer.stretch;
	const struct stretch_step step = stretch->steps.items[stretch->steps.count - 1];

	for (unsigned int i = 0; i < step.memory_count; i++) {
		if (!step.memory[i].reads || step.memory[i].pushed ||
		    !is_readable(&original->all, &step.memory[i]))
			continue;
		if (maker->request->ticks)
			tell_ticks(maker, original, i);
		tell_memory(maker, original, i, STRETCH_LOADED, original->row.address);
	}
}

/* Whether the registers of an address are the same behind the instruction; the address of
 * a push is rsp itself then. */
static bool keeps_address(const struct all_operands *all,
			  const struct stretch_memory *memory)
{
	if (memory->pushed)
		return true;
	return !(memory->base < 16 && (all->writes >> memory->base & 1)) &&
	       !(memory->index < 16 && (all->writes >> memory->index & 1));
}

static void tell_stores(struct maker *maker, struct original *original)
{
	const struct stretch *stretch = maker->writer.stretch;
	const struct stretch_step step = stretch->steps.items[stretch->steps.count - 1];

	for (unsigned int i = 0; i < step.memory_count; i++)
		if (step.memory[i].writes &&
		    is_readable(&original->all, &step.memory[i]) &&
		    keeps_address(&original->all, &step.memory[i]))
			tell_memory(maker, original, i, STRETCH_STORED, original->next);
}

static void tell_registers(struct maker *maker, struct original *original)
{
	const uint64_t writes = original->all.writes;
	const uint32_t vectors = (uint32_t)(writes >> ALL_OPERANDS_VECTOR0);

	for (unsigned int i = 0; i < 16; i++) {
		if (!(writes >> i & 1))
			continue;
		stretch_store(&maker->writer, i, original->word);
		tell_value(maker, original, STRETCH_REGISTER, (uint8_t)i, 1);
	}
	for (unsigned int i = 0; i < 32 && __builtin_popcount(vectors) <= VECTORS_MAX;
	     i++) {
		if (!(vectors >> i & 1))
			continue;
		stretch_store_vector(&maker->writer, i, original->word);
		tell_value(maker, original, STRETCH_VECTOR, (uint8_t)i, 1);
	}
	for (unsigned int i = 0; i < 8; i++) {
		if (!(writes >> (ALL_OPERANDS_K0 + i) & 1))
			continue;
		stretch_store_mask(&maker->writer, i, original->word);
		tell_value(maker, original, STRETCH_MASK, (uint8_t)i, 1);
	}
	if (!(writes >> ALL_OPERANDS_X87 & 1) || original->all.class == INSN_SYSTEM)
		return;
	original->word = (uint16_t)((original->word + 1) & ~1);
	stretch_store_x87(&maker->writer, original->word);
	tell_value(maker, original, STRETCH_X87, 0, X87_WORDS);
}

/* The operand that is relative to rip becomes one by a borrowed register: its four bytes
 * go, and the register stands in ModRM. */
static void copy_relative(struct maker *maker, const struct original *original,
			  unsigned int scratch)
{
	const struct instruction *row = &original->row;
	const unsigned int behind = row->displacement + 4u;
	uint8_t bytes[LENGTH_MAX];

	stretch_constant(&maker->writer, scratch, row->target);
	memcpy(bytes, original->bytes, row->length);
	bytes[row->modrm] = (uint8_t)((bytes[row->modrm] & 0x38) | scratch);
	stretch_bytes(&maker->writer, bytes, row->displacement);
	stretch_bytes(&maker->writer, bytes + behind, row->length - behind);
}

/* Whether the prefixes have no bit that would change the borrowed register: where the
 * operand was relative to rip it was ignored. */
static bool is_plain_base(const struct original *original)
{
	const uint8_t *at = original->bytes;
	const uint8_t *const end = original->bytes + original->row.modrm;

	while (at < end &&
	       (*at == 0x66 || *at == 0xf0 || *at == 0xf2 || *at == 0xf3 || *at == 0x2e ||
		*at == 0x36 || *at == 0x3e || *at == 0x26 || *at == 0x64 || *at == 0x65))
		at++;
	if ((*at & 0xf0) == 0x40)
		return !(*at & 1);
	if (*at == 0xc4 || *at == 0x62) /* the bits are stored inverted */
		return (at[1] & 0x20) && (*at == 0xc4 || (at[1] & 0x40));
	return *at != 0x8f && *at != 0xd5;
}

static bool copy_plain(struct maker *maker, struct original *original, uint16_t before)
{
	const struct instruction *row = &original->row;
	const int scratch = any_of(original->free & WITHOUT_PREFIX);

	if (row->displacement && (scratch < 0 || !is_plain_base(original)))
		return false;
	add_step(maker, original, before);
	add_row(maker, row->address, before, 0);
	tell_loads(maker, original);
	if (row->displacement) {
		borrow_register(maker, (unsigned int)scratch, row->address, before);
		copy_relative(maker, original, (unsigned int)scratch);
		add_row(maker, original->next, before, 1u << scratch);
		give_back(maker, (unsigned int)scratch, original->next, before);
	} else {
		stretch_bytes(&maker->writer, original->bytes, row->length);
		add_row(maker, original->next, before, 0);
	}
	tell_registers(maker, original);
	tell_stores(maker, original);
	return true;
}

/* The kernel leaves the address behind the instruction in rcx: that of the copy. */
static void copy_call(struct maker *maker, struct original *original, uint16_t before)
{
	struct stretch *stretch = maker->writer.stretch;

	add_step(maker, original, before);
	add_row(maker, original->row.address, before, 0);
	stretch_bytes(&maker->writer, system_call, sizeof(system_call));
	add_row(maker, original->next, before, 0);
	stretch->rows.items[stretch->rows.count - 1].called = true;
	stretch_constant(&maker->writer, RCX, original->next);
	add_row(maker, original->next, before, 0);
	original->all.writes |= 1u << RAX;
	tell_registers(maker, original);
	stretch->calls = true;
}

/* Loads the target of an indirect branch into its word. */
static bool take_target(struct maker *maker, const struct original *original,
			uint16_t before)
{
	const struct operand *operand = &original->all.items[0];
	const struct instruction *row = &original->row;
	const int scratch = any_of(original->free);
	struct stretch_memory memory = {.base = RSP,
					.index = ALL_OPERANDS_NONE,
					.segment = ALL_OPERANDS_NONE,
					.size = 8};

	if (row->kind != INSTRUCTION_RETURN && operand->kind == ALL_OPERANDS_REGISTER) {
		if (operand->number > 15)
			return false;
		stretch_store(&maker->writer, operand->number, STRETCH_WORD_TARGET);
		return true;
	}
	if (row->kind != INSTRUCTION_RETURN) {
		if (operand->kind != ALL_OPERANDS_MEMORY || operand->bits != 64)
			return false;
		memory = read_memory(&original->all, operand);
		memory.told |= operand->base == RSP; /* before the push */
		if (!is_readable(&original->all, &memory))
			return false;
	}
	if (scratch < 0)
		return false;
	borrow_register(maker, (unsigned int)scratch, row->address, before);
	stretch_load_memory(&maker->writer, (unsigned int)scratch, &memory);
	stretch_store(&maker->writer, (unsigned int)scratch, STRETCH_WORD_TARGET);
	give_back(maker, (unsigned int)scratch, row->address, before);
	return true;
}

/* Bytes that a return takes off the stack. */
static int32_t popped_by(const struct original *original)
{
	const uint8_t *bytes = original->bytes + original->row.length;

	/* ret with a constant: c2, and its two bytes. */
	if (original->all.opcode != 0xc2)
		return 8;
	return 8 + bytes[-2] + bytes[-1] * 256;
}

/* An indirect branch ends its way: where it leads is not known before. */
static bool copy_indirect(struct maker *maker, struct original *original, uint16_t before)
{
	struct stretch *stretch = maker->writer.stretch;
	const size_t rows = stretch->rows.count, code = stretch->code.count;

	add_row(maker, original->row.address, before, 0);
	if (!take_target(maker, original, before)) {
		stretch->rows.count = rows;
		stretch->code.count = code;
		return false;
	}
	add_step(maker, original, before)->branch = STRETCH_INDIRECT;

	const uint16_t last = (uint16_t)stretch->steps.count;

	if (original->row.kind == INSTRUCTION_RETURN)
		stretch_move_stack(&maker->writer, popped_by(original));
	else if (original->row.kind == INSTRUCTION_CALL_INDIRECT)
		stretch_push(&maker->writer, original->next);
	add_target_row(maker, last);
	add_end(maker, (struct stretch_end){
			       .last = last, .by_target = true, .why = STRETCH_BRANCH});
	stretch_jump_target(&maker->writer);
	return true;
}

static void copy_condition(struct maker *maker, const struct original *original,
			   uint16_t before, const struct pending *way)
{
	const uint16_t last = (uint16_t)(maker->writer.stretch->steps.count + 1);

	add_step(maker, original, before)->branch = STRETCH_CONDITION;
	add_row(maker, original->row.address, before, 0);
	STRETCH_BYTES(&maker->writer, 0x0f, (uint8_t)(0x80 | original->row.condition));
	vector_push(&maker->pending,
		    ((struct pending){.address = original->row.target,
				      .from = stretch_here(&maker->writer),
				      .last = last,
				      .word = way->word,
				      .left = way->left,
				      .call = way->call}));
	stretch_word32(&maker->writer, 0);
}

/*
 * Compares an instruction that may be changed with what is there now, as fetching it
 * would: stores in front of it have been made, and of others what loads in front of it
 * saw. Another one ends the way in front of it. Flags stay, so that jrcxz has to do.
 */
static void check_original(struct maker *maker, const struct original *original,
			   uint16_t before)
{
	struct stretch_writer *writer = &maker->writer;
	struct stretch *stretch = writer->stretch;
	const uint64_t address = original->row.address;
	const uint32_t length = original->row.length;
	const uint32_t part = length >= 4 ? 4 : length >= 2 ? 2 : 1;
	uint32_t jumps[LENGTH_MAX], count = 0, over;

	add_row(maker, address, before, 0);
	borrow_register(maker, RCX, address, before);
	stretch->rows.items[stretch->rows.count - 1].own = true;
	for (uint32_t at = 0; at < length;) {
		const uint32_t from = at + part <= length ? at : length - part;

		stretch_compare(writer, address + from, original->bytes + from, part);
		at = from + part;
		if (at == length)
			break;
		STRETCH_BYTES(writer, 0xe3, 5, 0xe9); /* jrcxz over jmp */
		jumps[count++] = stretch_here(writer);
		stretch_word32(writer, 0);
	}
	STRETCH_BYTES(writer, 0xe3, 0); /* jrcxz over the end */
	over = stretch_here(writer);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t distance = over - (jumps[i] + 4);

		memcpy(stretch->code.items + jumps[i], &distance, sizeof(distance));
	}
	give_back(maker, RCX, address, before);
	leave_at(maker, address, before, STRETCH_CODE_CHANGED);
	stretch->code.items[over - 1] = (uint8_t)(stretch_here(writer) - over);
	add_row(maker, address, before, 1u << RCX);
	give_back(maker, RCX, address, before);
}

/* Copies the next instruction of a way, which leads on from way->address then. False: the
 * way ends in front of it. `*ret_left`: it has been left already. */
static bool copy_next(struct maker *maker, struct pending *way, bool *ret_left)
{
	struct stretch *stretch = maker->writer.stretch;
	const uint16_t before = way->last;
	struct original original = {.word = way->word};

	if (!read_original(maker, way, &original))
		return false;
	if (original.changes)
		check_original(maker, &original, before);
	way->left--;
	way->address = original.next;
	way->call = original.call ? 0 : stretch_call_behind(&original.all, way->call);
	switch (original.row.kind) {
	case INSTRUCTION_PLAIN:
		if (original.call)
			copy_call(maker, &original, before);
		else if (!copy_plain(maker, &original, before)) {
			way->address = original.row.address;
			return false;
		}
		break;
	case INSTRUCTION_CONDITION:
		copy_condition(maker, &original, before, way);
		break;
	case INSTRUCTION_JUMP:
		add_step(maker, &original, before)->branch = STRETCH_JUMP;
		way->address = original.row.target;
		break;
	case INSTRUCTION_CALL:
		add_step(maker, &original, before)->branch = STRETCH_CALL;
		add_row(maker, original.row.address, before, 0);
		stretch_push(&maker->writer, original.next);
		way->address = original.row.target;
		break;
	default:
		*ret_left = copy_indirect(maker, &original, before);
		if (!*ret_left) {
			way->address = original.row.address;
			return false;
		}
	}
	way->last = (uint16_t)stretch->steps.count;
	way->word = original.word;
	return true;
}

/* Whether there is room for one more step, and for the ends of all ways. */
static bool has_room(const struct maker *maker, const struct pending *way)
{
	const size_t ends = maker->pending.count * END_CODE_MAX;

	return way->left && way->word + STEP_WORDS_MAX < STRETCH_WORDS &&
	       stretch_here(&maker->writer) + STEP_CODE_MAX + ends < STRETCH_CODE_MAX;
}

/* Why the instruction at an address is not copied. */
static enum stretch_why why_left_alone(const struct maker *maker, uint64_t address)
{
	const struct stretch_request *request = maker->request;
	uint8_t bytes[sizeof(system_call)];
	bool changes;

	return request->read(request->context, address, bytes, sizeof(bytes), &changes) ==
				       sizeof(bytes) &&
			       !memcmp(bytes, system_call, sizeof(bytes))
		       ? STRETCH_SYSTEM_CALL
		       : STRETCH_LEFT_ALONE;
}

static void write_way(struct maker *maker, struct pending way)
{
	struct stretch *stretch = maker->writer.stretch;
	const uint32_t here = stretch_here(&maker->writer);
	const uint32_t distance = here - (way.from + 4);
	bool left = false, room;

	if (way.from)
		memcpy(stretch->code.items + way.from, &distance, sizeof(distance));
	while ((room = has_room(maker, &way)) && copy_next(maker, &way, &left) && !left)
		continue;
	if (!left)
		leave_at(maker, way.address, way.last,
			 room ? why_left_alone(maker, way.address) : STRETCH_WHOLE);
}

bool stretch_make(const struct stretch_request *request, struct stretch *ret_stretch)
{
	struct maker maker = {
		.request = request,
		.writer = {.stretch = ret_stretch, .distance = request->distance},
	};

	*ret_stretch = (struct stretch){0};
	vector_push(&maker.pending, ((struct pending){.address = request->address,
						      .word = STRETCH_WORD_VALUES,
						      .left = request->length}));
	while (maker.pending.count)
		write_way(&maker, maker.pending.items[--maker.pending.count]);
	vector_deinit(&maker.pending);
	if (ret_stretch->steps.count)
		return true;
	stretch_deinit(ret_stretch);
	return false;
}

void stretch_deinit(struct stretch *stretch)
{
	vector_deinit(&stretch->code);
	vector_deinit(&stretch->original);
	vector_deinit(&stretch->parts);
	vector_deinit(&stretch->steps);
	vector_deinit(&stretch->values);
	vector_deinit(&stretch->rows);
	vector_deinit(&stretch->ends);
}

const struct stretch_row *stretch_row_at(const struct stretch *stretch, uint64_t offset)
{
	const struct stretch_row *found = NULL;

	if (offset >= stretch->code.count)
		return NULL;
	vector_for_each (&stretch->rows, row)
		if (row->offset <= offset)
			found = row;
	return found;
}

size_t stretch_path(const struct stretch *stretch, uint16_t last,
		    uint16_t ret_steps[STRETCH_LENGTH_MAX])
{
	size_t count = 0;

	for (uint16_t at = last; at && count < STRETCH_LENGTH_MAX;
	     at = stretch->steps.items[at - 1].before)
		ret_steps[count++] = (uint16_t)(at - 1);
	for (size_t i = 0; i < count / 2; i++) {
		const uint16_t moved = ret_steps[i];

		ret_steps[i] = ret_steps[count - 1 - i];
		ret_steps[count - 1 - i] = moved;
	}
	return count;
}
