#include "wire/unwind.h"

#include <stddef.h>

enum {
	RETURN_ADDRESS = 16, /* its column */
	REMEMBERED_MAX = 4,
	FRAMES_MAX = 1 << 22,
	WORD = 8,
	/* In struct ucontext (asm/ucontext.h), which lies where a handler's stack ends.
	 */
	CONTEXT_REGISTERS = 40,
};

/* The pointer encodings that are read. */
enum {
	POINTER_SIZE = 0x07, /* 0, 4: 8 bytes; 2, 3 */
	POINTER_SIGNED = 0x08,
	POINTER_RELATIVE = 0x10, /* to where it lies */
	HEADER_TABLE = 0x3b,     /* signed, 4 bytes, relative to the header */
	HEADER_COUNT = 0x03,
};

/* Where a register's value for the caller is saved: unwind_saved.how. */
enum saved { KEPT, AT_FRAME, AT_REGISTER, LOST };

struct rules {
	struct unwind_rule row;
	struct unwind_rule remembered[REMEMBERED_MAX];
	uint32_t remembered_count;
	struct unwind_common common;
	bool sized; /* there are sizes of augmentations */
};

struct reading {
	const uint8_t *at, *end;
	bool failed;
};

static uint64_t read_number(struct reading *reading, unsigned size)
{
	uint64_t value = 0;

	if ((uint64_t)(reading->end - reading->at) < size) {
		reading->failed = true;
		reading->at = reading->end;
		return 0;
	}
	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)*reading->at++ << 8 * i;
	return value;
}

static uint64_t read_leb(struct reading *reading, bool is_signed)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;

	do {
		byte = read_number(reading, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && shift < 64 && byte & 0x40)
		value |= ~0ull << shift;
	return value;
}

static void skip_bytes(struct reading *reading, uint64_t size)
{
	if ((uint64_t)(reading->end - reading->at) < size)
		reading->failed = true;
	else
		reading->at += size;
}

/* The part of the tables from a run-time address on. */
static struct reading reading_at(const struct unwind_tables *tables, uint64_t address)
{
	struct reading reading = {0};

	if (address < tables->start || address >= tables->end) {
		reading.failed = true;
		return reading;
	}
	reading.at = tables->bytes + (address - tables->start);
	reading.end = tables->bytes + (tables->end - tables->start);
	return reading;
}

static uint64_t address_of(const struct unwind_tables *tables,
			   const struct reading *reading)
{
	return tables->start + (uint64_t)(reading->at - tables->bytes);
}

/* A pointer; `relative` false: a size, which is never relative. */
static uint64_t read_pointer(const struct unwind_tables *tables, struct reading *reading,
			     uint8_t encoding, bool relative)
{
	static const uint8_t sizes[8] = {8, 0, 2, 4, 8, 0, 0, 0};
	uint64_t here = reading->failed ? 0 : address_of(tables, reading);
	unsigned size = sizes[encoding & POINTER_SIZE];
	uint64_t value = read_number(reading, size);

	if (!size || encoding & ~(POINTER_SIZE | POINTER_SIGNED | POINTER_RELATIVE))
		reading->failed = true;
	if (encoding & POINTER_SIGNED && size < 8 && size && value >> (8 * size - 1) & 1)
		value |= ~0ull << 8 * size;
	if (relative && encoding & POINTER_RELATIVE)
		value += here;
	return value;
}

/* The entry of a register in a rule; NULL if it is not tracked. */
static struct unwind_saved *where_of(struct unwind_rule *row, uint64_t column)
{
	static const uint8_t places[UNWIND_REGISTERS] = {
		[UNWIND_RBX] = 1,     [UNWIND_RBP] = 2,     [UNWIND_R12] = 3,
		[UNWIND_R12 + 1] = 4, [UNWIND_R12 + 2] = 5, [UNWIND_R12 + 3] = 6};

	if (column >= UNWIND_REGISTERS || !places[column])
		return NULL;
	return &row->registers[places[column] - 1];
}

/* False: it is too large to be true, and the frame is not understood. */
static bool take_offset(struct unwind_rule *row, int64_t offset)
{
	row->offset = (int32_t)offset;
	if (row->offset == offset)
		return true;
	row->base = UNWIND_REGISTERS;
	return false;
}

static void set_rule(struct unwind_rule *row, uint64_t column, enum saved saved,
		     int64_t offset)
{
	struct unwind_saved *where = where_of(row, column);

	if (column == RETURN_ADDRESS) {
		/* It is saved below the CFA, as calls push it, or else it is not tracked.
		 */
		row->outermost = saved == LOST;
		if (saved != LOST && (saved != AT_FRAME || offset != -WORD))
			row->base = UNWIND_REGISTERS;
		return;
	}
	if (!where)
		return;
	where->how = (uint8_t)saved;
	where->offset = (int32_t)offset;
	if (offset != (int32_t)offset)
		where->how = LOST;
}

static void set_frame(struct unwind_rule *row, uint64_t base, int64_t offset)
{
	row->base = base < UNWIND_REGISTERS ? (uint8_t)base : UNWIND_REGISTERS;
	row->loaded = false;
	take_offset(row, offset);
}

/* DW_OP_bregN offset, which is all that compilers use here, perhaps with DW_OP_deref.
 * False: another one. */
static bool read_expression(struct reading *reading, uint8_t *ret_base,
			    int64_t *ret_offset, bool *ret_loaded)
{
	enum { BREG0 = 0x70, DEREF = 0x06 };
	uint64_t size = read_leb(reading, false);
	struct reading inner = *reading;

	skip_bytes(reading, size);
	inner.end = reading->at;
	uint64_t operation = read_number(&inner, 1);

	*ret_base = (uint8_t)(operation - BREG0);
	*ret_offset = (int64_t)read_leb(&inner, true);
	*ret_loaded = inner.at < inner.end && read_number(&inner, 1) == DEREF;
	return !inner.failed && !reading->failed && inner.at == inner.end &&
	       *ret_base < UNWIND_REGISTERS;
}

static void set_expression(struct unwind_rule *row, struct reading *reading,
			   uint64_t column)
{
	struct unwind_saved *where = where_of(row, column);
	int64_t offset = 0;
	uint8_t base = 0;
	bool loaded, good = read_expression(reading, &base, &offset, &loaded);

	set_rule(row, column, good && !loaded ? AT_REGISTER : LOST, offset);
	if (column == RETURN_ADDRESS)
		row->base = UNWIND_REGISTERS;
	if (where)
		where->base = base;
}

static void set_frame_expression(struct unwind_rule *row, struct reading *reading)
{
	int64_t offset = 0;
	uint8_t base = 0;

	row->base = UNWIND_REGISTERS;
	if (read_expression(reading, &base, &offset, &row->loaded) &&
	    take_offset(row, offset))
		row->base = base;
}

static void restore_rule(struct rules *rules, uint64_t column)
{
	struct unwind_saved *where = where_of(&rules->row, column);

	if (where)
		*where = *where_of(&rules->common.rule, column);
}

static void remember_rules(struct rules *rules, struct reading *reading)
{
	if (rules->remembered_count == REMEMBERED_MAX)
		reading->failed = true;
	else
		rules->remembered[rules->remembered_count++] = rules->row;
}

static void recall_rules(struct rules *rules, struct reading *reading)
{
	if (!rules->remembered_count)
		reading->failed = true;
	else
		rules->row = rules->remembered[--rules->remembered_count];
}

/* An offset that is written as a multiple. */
static int64_t scale_count(const struct rules *rules, uint64_t count)
{
	return (int64_t)(count * (uint64_t)rules->common.data_factor);
}

/* Handles an instruction that does not define the CFA. */
static void step_register(struct rules *rules, struct reading *reading, uint8_t code)
{
	uint64_t column = code >= 0x40 ? code & 0x3f : read_leb(reading, false);

	switch (code >= 0x40 ? code & 0xc0 : code) {
	case 0x80: /* offset */
	case 0x05: /* offset_extended */
		set_rule(&rules->row, column, AT_FRAME,
			 scale_count(rules, read_leb(reading, false)));
		break;
	case 0x11: /* offset_extended_sf */
		set_rule(&rules->row, column, AT_FRAME,
			 scale_count(rules, read_leb(reading, true)));
		break;
	case 0x2f: /* GNU_negative_offset_extended */
		set_rule(&rules->row, column, AT_FRAME,
			 scale_count(rules, -read_leb(reading, false)));
		break;
	case 0xc0: /* restore */
	case 0x06: /* restore_extended */
		restore_rule(rules, column);
		break;
	case 0x07: /* undefined */
		set_rule(&rules->row, column, LOST, 0);
		break;
	case 0x08: /* same_value */
		set_rule(&rules->row, column, KEPT, 0);
		break;
	case 0x10: /* expression */
		set_expression(&rules->row, reading, column);
		break;
	case 0x09: /* register */
	case 0x14: /* val_offset */
	case 0x15: /* val_offset_sf */
		read_leb(reading, false);
		set_rule(&rules->row, column, LOST, 0);
		break;
	case 0x16: /* val_expression */
		skip_bytes(reading, read_leb(reading, false));
		set_rule(&rules->row, column, LOST, 0);
		break;
	default:
		reading->failed = true;
		break;
	}
}

/* Handles all instructions that do not advance. */
static void step_operation(struct rules *rules, struct reading *reading, uint8_t code)
{
	struct unwind_rule *row = &rules->row;
	uint64_t base;

	switch (code) {
	case 0x00: /* nop */
		break;
	case 0x0a:
		remember_rules(rules, reading);
		break;
	case 0x0b:
		recall_rules(rules, reading);
		break;
	case 0x0c: /* def_cfa */
		base = read_leb(reading, false);
		set_frame(row, base, (int64_t)read_leb(reading, false));
		break;
	case 0x12: /* def_cfa_sf */
		base = read_leb(reading, false);
		set_frame(row, base, scale_count(rules, read_leb(reading, true)));
		break;
	case 0x0d: /* def_cfa_register */
		set_frame(row, read_leb(reading, false), row->offset);
		break;
	case 0x0e: /* def_cfa_offset */
		take_offset(row, (int64_t)read_leb(reading, false));
		break;
	case 0x13: /* def_cfa_offset_sf */
		take_offset(row, scale_count(rules, read_leb(reading, true)));
		break;
	case 0x0f: /* def_cfa_expression */
		set_frame_expression(row, reading);
		break;
	case 0x2e: /* GNU_args_size */
		read_leb(reading, false);
		break;
	default:
		step_register(rules, reading, code);
		break;
	}
}

/* By how many bytes of code an instruction advances; false: by none, it is another. */
static bool advances_beyond(const struct unwind_tables *tables, const struct rules *rules,
			    struct reading *reading, uint8_t code, uint64_t *place)
{
	if ((code & 0xc0) == 0x40)
		*place += (code & 0x3f) * (uint64_t)rules->common.code_factor;
	else if (code == 0x01)
		*place = read_pointer(tables, reading, rules->common.encoding, true);
	else if (code >= 0x02 && code <= 0x04)
		*place += read_number(reading, 1u << (code - 2)) *
			  (uint64_t)rules->common.code_factor;
	else
		return false;
	return true;
}

/* Runs instructions up to the row for `pc`, from the one for `place` on. */
static bool run_operations(const struct unwind_tables *tables, struct rules *rules,
			   struct reading *reading, uint64_t place, uint64_t pc)
{
	while (reading->at < reading->end && !reading->failed) {
		uint8_t code = (uint8_t)read_number(reading, 1);

		if (!advances_beyond(tables, rules, reading, code, &place))
			step_operation(rules, reading, code);
		else if (place > pc)
			break;
	}
	return !reading->failed;
}

bool unwind_first_rule(const struct unwind_tables *instructions,
		       const struct unwind_common *common, struct unwind_rule *ret_rule)
{
	struct reading reading = {.at = instructions->bytes,
				  .end = instructions->bytes +
					 (instructions->end - instructions->start)};
	struct rules rules;

	rules.row = common->rule;
	rules.common = *common;
	rules.remembered_count = 0;
	if (!run_operations(instructions, &rules, &reading, 0, 0))
		return false;
	*ret_rule = rules.row;
	return true;
}

bool unwind_is_displaced(const struct unwind_rule *rule,
			 const struct unwind_common *common)
{
	const struct unwind_rule *usual = &common->rule;

	for (int i = 0; i < UNWIND_KEPT; i++)
		if (rule->registers[i].how == AT_FRAME ||
		    rule->registers[i].how == AT_REGISTER)
			return true;
	return rule->base != usual->base || rule->offset != usual->offset ||
	       rule->loaded != usual->loaded || rule->outermost != usual->outermost;
}

/* The contents of the entry at an address, behind its size. */
static struct reading open_entry(const struct unwind_tables *tables, uint64_t address)
{
	struct reading reading = reading_at(tables, address);
	uint64_t size = read_number(&reading, 4);

	if (size < 4 || size == UINT32_MAX || size > (uint64_t)(reading.end - reading.at))
		reading.failed = true;
	else
		reading.end = reading.at + size;
	return reading;
}

/* A CIE. */
static bool read_common(const struct unwind_tables *tables, uint64_t address,
			struct rules *rules)
{
	struct reading reading = open_entry(tables, address), data;
	const uint8_t *letters;

	if (read_number(&reading, 4) != 0 || read_number(&reading, 1) != 1)
		return false;
	letters = reading.at;
	while (read_number(&reading, 1))
		;
	rules->common.code_factor = (int64_t)read_leb(&reading, false);
	rules->common.data_factor = (int64_t)read_leb(&reading, true);
	if (read_leb(&reading, false) != RETURN_ADDRESS || reading.failed)
		return false;
	rules->sized = *letters == 'z';
	if (!rules->sized && *letters)
		return false;
	data = reading;
	if (rules->sized) {
		uint64_t size = read_leb(&reading, false);

		data = reading;
		skip_bytes(&reading, size);
		letters++;
	}
	for (; *letters && !data.failed; letters++)
		if (*letters == 'R')
			rules->common.encoding = (uint8_t)read_number(&data, 1);
		else if (*letters == 'L')
			read_number(&data, 1);
		else if (*letters == 'S')
			rules->row.signal = true;
		else if (*letters == 'P') /* stepped over, so never mind what it means */
			read_pointer(tables, &data, read_number(&data, 1) & 0x0f, false);
		else
			return false;
	return !data.failed && run_operations(tables, rules, &reading, 0, UINT64_MAX);
}

/* The address of the FDE for `pc`, by the sorted table of the header; 0 if there is none.
 */
static uint64_t find_entry(const struct unwind_tables *tables, uint64_t pc)
{
	enum { PREFIX = 12, ENTRY = 8 };
	struct reading reading = reading_at(tables, tables->header);
	uint64_t low = 0, high;

	/* Version, encodings of the pointer to .eh_frame, of the count, of the table. */
	if (!tables->header || read_number(&reading, 1) != 1 ||
	    read_number(&reading, 1) > 0x1f || read_number(&reading, 1) != HEADER_COUNT ||
	    read_number(&reading, 1) != HEADER_TABLE)
		return 0;
	read_number(&reading, 4);
	high = read_number(&reading, 4);
	if (reading.failed || high > (uint64_t)(reading.end - reading.at) / ENTRY)
		return 0;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		struct reading row =
			reading_at(tables, tables->header + PREFIX + middle * ENTRY);

		if (tables->header + (uint64_t)(int64_t)(int32_t)read_number(&row, 4) <=
		    pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return 0;
	reading = reading_at(tables, tables->header + PREFIX + low * ENTRY - 4);
	return tables->header + (uint64_t)(int64_t)(int32_t)read_number(&reading, 4);
}

bool unwind_find_rule(const struct unwind_tables *tables, uint64_t pc,
		      struct unwind_rule *ret_rule)
{
	uint64_t entry = find_entry(tables, pc), start, size;
	struct reading reading = open_entry(tables, entry);
	uint64_t here = entry + 4, back = read_number(&reading, 4);
	struct rules rules;

	rules.row = (struct unwind_rule){.base = UNWIND_REGISTERS};
	rules.remembered_count = 0;
	rules.common.encoding = 0;
	if (!entry || reading.failed || !back ||
	    !read_common(tables, here - back, &rules))
		return false;
	rules.common.rule = rules.row;
	start = read_pointer(tables, &reading, rules.common.encoding, true);
	size = read_pointer(tables, &reading, rules.common.encoding, false);
	if (reading.failed || pc - start >= size)
		return false;
	if (rules.sized)
		skip_bytes(&reading, read_leb(&reading, false));
	if (!run_operations(tables, &rules, &reading, start, pc))
		return false;
	*ret_rule = rules.row;
	return true;
}

bool unwind_is_plain(const struct unwind_rule *rule, int32_t *ret_rbp)
{
	const struct unwind_saved *rbp = &rule->registers[1];

	*ret_rbp = rbp->how == AT_FRAME ? rbp->offset : 0;
	return (rule->base == UNWIND_RSP || rule->base == UNWIND_RBP) && !rule->loaded &&
	       !rule->signal && !rule->outermost &&
	       (rbp->how == KEPT || (rbp->how == AT_FRAME && rbp->offset));
}

/* Out of a signal handler: all registers are in the context that the kernel saved. */
static bool leave_handler(const struct unwind_view *view, struct unwind_place *place)
{
	/* By the order of the context: the numbers of registers; the last is the pc. */
	static const uint8_t order[] = {
		8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, RETURN_ADDRESS};
	uint64_t at = place->registers[UNWIND_RSP] + CONTEXT_REGISTERS;

	for (unsigned i = 0; i < sizeof(order); i++, at += WORD) {
		uint64_t word;

		if (!view->read(view->context, at, &word))
			return false;
		if (order[i] == RETURN_ADDRESS)
			place->pc = word;
		else
			place->registers[order[i]] = word;
	}
	place->exact = true;
	return true;
}

/* The numbers of the registers that callees keep. */
static const uint8_t kept_numbers[UNWIND_KEPT] = {UNWIND_RBX,     UNWIND_RBP,
						  UNWIND_R12,     UNWIND_R12 + 1,
						  UNWIND_R12 + 2, UNWIND_R12 + 3};

/* These as the caller has them. */
static bool read_kept(const struct unwind_view *view, const struct unwind_rule *row,
		      uint64_t frame, const struct unwind_place *place,
		      uint64_t ret_kept[UNWIND_KEPT])
{
	for (unsigned i = 0; i < UNWIND_KEPT; i++) {
		const struct unwind_saved *where = &row->registers[i];
		uint64_t at = frame;

		ret_kept[i] = place->registers[kept_numbers[i]];
		if (where->how != AT_FRAME && where->how != AT_REGISTER)
			continue;
		if (where->how == AT_REGISTER)
			at = place->registers[where->base];
		at += (uint64_t)(int64_t)where->offset;
		/* Below the stack pointer: it was taken from there again just now, at the
		 * function's end, and copies of stacks have nothing below. */
		if (!view->read(view->context, at, &ret_kept[i]) &&
		    at >= place->registers[UNWIND_RSP])
			return false;
	}
	return true;
}

/* To the caller. False: it is not understood, and the place is as it was. */
static bool leave_frame(const struct unwind_view *view, const struct unwind_rule *row,
			struct unwind_place *place)
{
	uint64_t kept[UNWIND_KEPT], frame, pc;

	if (row->base == UNWIND_REGISTERS)
		return false;
	frame = place->registers[row->base] + (uint64_t)(int64_t)row->offset;
	if (row->loaded && !view->read(view->context, frame, &frame))
		return false;
	/* The return address lies at the stack pointer or above. */
	if (frame - WORD < place->registers[UNWIND_RSP] || frame % WORD ||
	    !read_kept(view, row, frame, place, kept) ||
	    !view->read_return(view->context, frame - WORD, &pc))
		return false;
	for (unsigned i = 0; i < UNWIND_KEPT; i++)
		place->registers[kept_numbers[i]] = kept[i];
	place->registers[UNWIND_RSP] = frame;
	place->pc = pc;
	place->exact = false;
	return true;
}

enum unwind_step unwind_leave(const struct unwind_view *view, struct unwind_place *place,
			      bool *ret_signal)
{
	struct unwind_place next = *place;
	struct unwind_rule rule;

	*ret_signal = false;
	/* Nothing returns there: where stacks are made, that is how they end. */
	if (!place->exact && !place->pc)
		return UNWIND_OUTERMOST;
	if (!view->find_rule(view->context, place->pc - !place->exact, &rule))
		return UNWIND_STUCK;
	if (rule.outermost)
		return UNWIND_OUTERMOST;
	*ret_signal = rule.signal;
	if (rule.signal ? !leave_handler(view, &next) : !leave_frame(view, &rule, &next))
		return UNWIND_STUCK;
	*place = next;
	return UNWIND_LEFT;
}

uint64_t unwind_walk(const struct unwind_view *view, struct unwind_place place)
{
	for (uint32_t i = 0; i < FRAMES_MAX; i++) {
		bool signal;
		const enum unwind_step step = unwind_leave(view, &place, &signal);

		if (step == UNWIND_OUTERMOST)
			return UNWIND_DONE;
		if (step == UNWIND_STUCK)
			break;
		if (signal && view->is_known &&
		    view->is_known(view->context, place.registers[UNWIND_RSP]))
			return UNWIND_DONE;
	}
	return place.registers[UNWIND_RSP];
}
