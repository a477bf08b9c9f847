#include "session/position/path_steps.h"

#include "code/locate/address_map.h"
#include "code/locate/locate.h"
#include "code/plan/plan_rows.h"
#include "control/remote.h"
#include "resident/resident.h"
#include "session/state/module.h"
#include "session/state/space.h"

#include <string.h>

enum { CARRY = 1, PARITY = 4, ADJUST = 16, ZERO = 64, SIGN = 128, OVERFLOW = 0x800 };
enum { STEPS_MAX = 4096, INSTRUCTION_MAX = 15, NO_REGISTER = 16, JUMP_CODE = 0xe9 };

/* An instruction that is carried out, as far as it is decoded. */
struct step {
	const uint8_t *bytes;
	size_t size, at;
	struct user_regs_struct *registers;
	struct path_memory *may;
	bool gs, wide; /* prefixes: of the bank, of 64 bits */
	uint8_t rex, opcode, reg, rm;
	bool memory;
	uint64_t address; /* of the operand in memory: from the GS base */
	uint64_t end;     /* of the instruction; the immediate comes before that */
};

static unsigned long long *register_of(struct user_regs_struct *r, unsigned number)
{
	unsigned long long *const all[] = {
		&r->rax, &r->rcx, &r->rdx, &r->rbx, &r->rsp, &r->rbp, &r->rsi, &r->rdi,
		&r->r8,  &r->r9,  &r->r10, &r->r11, &r->r12, &r->r13, &r->r14, &r->r15};

	return all[number & 15];
}

static bool take_bytes(struct step *step, void *to, size_t size)
{
	if (step->at + size > step->size)
		return false;
	memcpy(to, step->bytes + step->at, size);
	step->at += size;
	return true;
}

static bool take_number(struct step *step, size_t size, uint64_t *ret_number)
{
	int32_t wide = 0;
	int8_t brief = 0;

	if (!take_bytes(step, size == 1 ? (void *)&brief : (void *)&wide, size))
		return false;
	*ret_number = size == 1 ? (uint64_t)brief : (uint64_t)(int64_t)wide;
	return true;
}

/* Decodes a SIB byte; whether there is no base. */
static bool take_index(struct step *step, uint8_t mod, bool *ret_no_base)
{
	uint8_t sib, index;

	if (!take_bytes(step, &sib, 1))
		return false;
	index = (uint8_t)((sib >> 3 & 7) | (step->rex & 2 ? 8 : 0));
	*ret_no_base = (sib & 7) == 5 && !mod;
	if (!*ret_no_base)
		step->address = *register_of(step->registers,
					     (sib & 7u) | (step->rex & 1 ? 8 : 0));
	if (index != 4)
		step->address += *register_of(step->registers, index) << (sib >> 6);
	return true;
}

/* Decodes the ModRM byte. `behind`: bytes of the immediate. */
static bool take_operands(struct step *step, size_t behind)
{
	uint8_t byte, mod;
	uint64_t displacement = 0;
	bool no_base = false;

	if (!take_bytes(step, &byte, 1))
		return false;
	mod = byte >> 6;
	step->reg = (uint8_t)((byte >> 3 & 7) | (step->rex & 4 ? 8 : 0));
	step->rm = (uint8_t)((byte & 7) | (step->rex & 1 ? 8 : 0));
	step->memory = mod != 3;
	step->address = 0;
	if (!step->memory)
		return true;
	if ((byte & 7) == 4) {
		if (!take_index(step, mod, &no_base))
			return false;
	} else if ((byte & 7) != 5 || mod) {
		step->address = *register_of(step->registers, step->rm);
	}
	if (mod == 1 ? !take_number(step, 1, &displacement)
		     : (mod == 2 || no_base || ((byte & 7) == 5 && !mod)) &&
			       !take_number(step, 4, &displacement))
		return false;
	step->address += displacement;
	if ((byte & 7) == 5 && !mod) /* from the instruction's end */
		step->address += step->registers->rip + step->at + behind;
	return true;
}

static size_t width_of(const struct step *step)
{
	return step->wide ? 8 : 4;
}

static bool read_operand(const struct step *step, uint64_t *ret_value)
{
	uint64_t value = 0;

	if (!step->memory) {
		value = *register_of(step->registers, step->rm);
	} else {
		if (!step->gs || step->address > step->may->room ||
		    step->may->room - step->address < width_of(step))
			return false;
		memcpy(&value, step->may->bank + step->address, width_of(step));
	}
	*ret_value = step->wide ? value : (uint32_t)value;
	return true;
}

static void write_register(struct step *step, unsigned number, uint64_t value)
{
	*register_of(step->registers, number) = step->wide ? value : (uint32_t)value;
}

static bool write_operand(struct step *step, uint64_t value)
{
	if (!step->memory) {
		write_register(step, step->rm, value);
		return true;
	}
	if (!step->gs || step->address > step->may->room ||
	    step->may->room - step->address < width_of(step))
		return false;
	memcpy(step->may->bank + step->address, &value, width_of(step));
	return true;
}

/* Sets the flags of a result of `bits` bits; those of addition and subtraction depend on
 * the operands, too. */
static void set_flags(struct step *step, uint64_t result, unsigned bits, unsigned more)
{
	uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
	unsigned flags = more;

	result &= mask;
	flags |= result ? 0 : ZERO;
	flags |= result >> (bits - 1) ? SIGN : 0;
	flags |= __builtin_parity(result & 255) ? 0 : PARITY;
	step->registers->eflags = (step->registers->eflags &
				   ~(unsigned long long)(CARRY | PARITY | ADJUST | ZERO |
							 SIGN | OVERFLOW)) |
				  flags;
}

static uint64_t add_with_flags(struct step *step, uint64_t a, uint64_t b, unsigned bits)
{
	uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1, sum = (a + b) & mask;
	unsigned more = 0;

	a &= mask;
	b &= mask;
	more |= sum < a ? CARRY : 0;
	more |= (~(a ^ b) & (a ^ sum)) >> (bits - 1) & 1 ? OVERFLOW : 0;
	more |= (a ^ b ^ sum) & ADJUST;
	set_flags(step, sum, bits, more);
	return sum;
}

static uint64_t subtract_with_flags(struct step *step, uint64_t a, uint64_t b,
				    unsigned bits)
{
	uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1, rest = (a - b) & mask;
	unsigned more = 0;

	a &= mask;
	b &= mask;
	more |= a < b ? CARRY : 0;
	more |= ((a ^ b) & (a ^ rest)) >> (bits - 1) & 1 ? OVERFLOW : 0;
	more |= (a ^ b ^ rest) & ADJUST;
	set_flags(step, rest, bits, more);
	return rest;
}

/* What opcodes 80 to 83 do, and those of rax alone, by number. */
static bool combine_values(struct step *step, unsigned kind, uint64_t value,
			   uint64_t with, uint64_t *ret_result)
{
	const unsigned bits = step->wide ? 64 : 32;

	switch (kind) {
	case 0:
		*ret_result = add_with_flags(step, value, with, bits);
		return true;
	case 4:
		*ret_result = value & with;
		set_flags(step, *ret_result, bits, 0);
		return true;
	case 5:
	case 7:
		*ret_result = subtract_with_flags(step, value, with, bits);
		return true;
	default:
		return false;
	}
}

static bool do_combine(struct step *step)
{
	const size_t size = step->opcode == 0x83 ? 1 : 4;
	uint64_t value, with, result;

	if (!take_operands(step, size) || !take_number(step, size, &with) ||
	    !read_operand(step, &value) ||
	    !combine_values(step, step->reg & 7, value, with, &result))
		return false;
	return (step->reg & 7) == 7 || write_operand(step, result);
}

static bool do_combine_rax(struct step *step)
{
	const unsigned kind = step->opcode >> 3;
	uint64_t with, result;

	if (!take_number(step, 4, &with) ||
	    !combine_values(step, kind, step->registers->rax, with, &result))
		return false;
	if (kind != 7)
		write_register(step, 0, result);
	return true;
}

static bool do_add_al(struct step *step)
{
	uint64_t with;

	if (!take_number(step, 1, &with))
		return false;
	step->registers->rax = (step->registers->rax & ~0xffull) |
			       add_with_flags(step, step->registers->rax, with, 8);
	return true;
}

static bool do_compare(struct step *step)
{
	uint64_t value, other;

	if (!take_operands(step, 0) || !read_operand(step, &value))
		return false;
	other = *register_of(step->registers, step->reg);
	if (step->opcode == 0x39)
		subtract_with_flags(step, value, other, step->wide ? 64 : 32);
	else
		subtract_with_flags(step, other, value, step->wide ? 64 : 32);
	return true;
}

static bool do_store(struct step *step)
{
	return take_operands(step, 0) &&
	       write_operand(step, *register_of(step->registers, step->reg));
}

static bool do_load(struct step *step)
{
	uint64_t value;

	if (!take_operands(step, 0) || !read_operand(step, &value))
		return false;
	write_register(step, step->reg, value);
	return true;
}

static bool do_address(struct step *step)
{
	if (!take_operands(step, 0) || !step->memory)
		return false;
	write_register(step, step->reg, step->address);
	return true;
}

static bool do_constant(struct step *step)
{
	const size_t size = step->opcode == 0xc6 ? 1 : 4;
	uint64_t value;

	if (!take_operands(step, size) || !take_number(step, size, &value))
		return false;
	if (size == 4)
		return write_operand(step, value);
	if (!step->memory || !step->gs || step->address >= step->may->room)
		return false;
	step->may->bank[step->address] = (uint8_t)value;
	return true;
}

static bool do_move_constant(struct step *step)
{
	uint64_t value;

	if (step->wide || !take_number(step, 4, &value))
		return false;
	write_register(step, (step->opcode & 7u) | (step->rex & 1 ? 8 : 0), value);
	return true;
}

static bool push_word(struct step *step, uint64_t word)
{
	struct path_memory *may = step->may;

	if (may->pushed == PATH_PUSHED_MAX)
		return false;
	step->registers->rsp -= sizeof(word);
	may->words[may->pushed].address = step->registers->rsp;
	may->words[may->pushed++].word = word;
	return true;
}

static bool pop_word(struct step *step, uint64_t *ret_word)
{
	struct user_regs_struct *r = step->registers;
	struct path_memory *may = step->may;

	if (may->pushed && may->words[may->pushed - 1].address == r->rsp)
		*ret_word = may->words[--may->pushed].word;
	else if (remote_failed(
			 remote_read(may->stack_fd, r->rsp, ret_word, sizeof(*ret_word))))
		return false;
	r->rsp += sizeof(*ret_word);
	return true;
}

static bool do_push(struct step *step)
{
	return push_word(step,
			 *register_of(step->registers,
				      (step->opcode & 7u) | (step->rex & 1 ? 8 : 0)));
}

static bool do_pop(struct step *step)
{
	uint64_t word;

	if (!pop_word(step, &word))
		return false;
	*register_of(step->registers, (step->opcode & 7u) | (step->rex & 1 ? 8 : 0)) =
		word;
	return true;
}

static bool do_return(struct step *step)
{
	return pop_word(step, &step->end);
}

static bool do_group(struct step *step)
{
	const unsigned carry = step->registers->eflags & CARRY;
	uint64_t value;

	if (!take_operands(step, 0))
		return false;
	if ((step->reg & 7) == 2) { /* call */
		step->wide = true;
		return read_operand(step, &step->end) &&
		       push_word(step, step->registers->rip + step->at);
	}
	if ((step->reg & 7) != 0 || !read_operand(step, &value))
		return false;
	value = add_with_flags(step, value, 1, step->wide ? 64 : 32);
	step->registers->eflags =
		(step->registers->eflags & ~(unsigned long long)CARRY) | carry;
	return write_operand(step, value);
}

static bool do_multiply(struct step *step)
{
	uint64_t value, with;

	if (!take_operands(step, 4) || !take_number(step, 4, &with) ||
	    !read_operand(step, &value))
		return false;
	write_register(step, step->reg, value * with);
	return true;
}

static bool do_shift(struct step *step)
{
	uint64_t value, by;

	if (!take_operands(step, 1) || !take_number(step, 1, &by) ||
	    !read_operand(step, &value) || by > 63)
		return false;
	if ((step->reg & 7) == 4)
		return write_operand(step, value << by);
	return (step->reg & 7) == 5 && write_operand(step, value >> by);
}

static bool do_flags(struct step *step)
{
	struct user_regs_struct *r = step->registers;

	if (step->opcode == 0x9f)
		r->rax = (r->rax & ~0xff00ull) | (r->eflags & 0xff) << 8;
	else
		r->eflags = (r->eflags & ~0xd5ull) | (r->rax >> 8 & 0xd5);
	return true;
}

/* Whether a condition holds: by the last four bits of its opcode. */
static bool condition_holds(const struct step *step, uint8_t opcode, bool *ret_holds)
{
	const unsigned long long flags = step->registers->eflags;

	switch (opcode & 14) {
	case 0:
		*ret_holds = flags & OVERFLOW;
		break;
	case 2:
		*ret_holds = flags & CARRY;
		break;
	case 4:
		*ret_holds = flags & ZERO;
		break;
	default:
		return false;
	}
	*ret_holds ^= opcode & 1;
	return true;
}

static bool do_branch(struct step *step)
{
	const bool brief = step->opcode == 0xeb || (step->opcode & 0xf0) == 0x70;
	bool taken = true;
	uint64_t distance;

	if ((step->opcode & 0xf0) != 0xe0 && !condition_holds(step, step->opcode, &taken))
		return false;
	if (!take_number(step, brief ? 1 : 4, &distance))
		return false;
	step->end = step->registers->rip + step->at + (taken ? distance : 0);
	return true;
}

static bool do_branch_rcx(struct step *step)
{
	uint64_t distance;

	if (!take_number(step, 1, &distance))
		return false;
	step->end =
		step->registers->rip + step->at + (step->registers->rcx ? 0 : distance);
	return true;
}

/* Opcodes of two bytes: jcc, and seto %al. */
static bool do_second(struct step *step)
{
	uint8_t operand;
	bool set;

	if (!take_bytes(step, &step->opcode, 1))
		return false;
	if ((step->opcode & 0xf0) == 0x80)
		return do_branch(step);
	if ((step->opcode & 0xf0) != 0x90 || !take_bytes(step, &operand, 1) ||
	    operand != 0xc0 || !condition_holds(step, step->opcode, &set))
		return false;
	step->registers->rax = (step->registers->rax & ~0xffull) | set;
	return true;
}

static bool do_opcode(struct step *step)
{
	static const struct {
		uint8_t first, last;
		bool (*execute)(struct step *step);
	} rows[] = {
		{0x04, 0x04, do_add_al},        {0x05, 0x05, do_combine_rax},
		{0x0f, 0x0f, do_second},        {0x25, 0x25, do_combine_rax},
		{0x2d, 0x2d, do_combine_rax},   {0x39, 0x39, do_compare},
		{0x3b, 0x3b, do_compare},       {0x3d, 0x3d, do_combine_rax},
		{0x50, 0x57, do_push},          {0x58, 0x5f, do_pop},
		{0x69, 0x69, do_multiply},      {0x70, 0x7f, do_branch},
		{0x81, 0x81, do_combine},       {0x83, 0x83, do_combine},
		{0x89, 0x89, do_store},         {0x8b, 0x8b, do_load},
		{0x8d, 0x8d, do_address},       {0x9e, 0x9f, do_flags},
		{0xb8, 0xbf, do_move_constant}, {0xc1, 0xc1, do_shift},
		{0xc3, 0xc3, do_return},        {0xc6, 0xc7, do_constant},
		{0xe3, 0xe3, do_branch_rcx},    {0xe9, 0xe9, do_branch},
		{0xeb, 0xeb, do_branch},        {0xff, 0xff, do_group},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (step->opcode >= rows[i].first && step->opcode <= rows[i].last)
			return rows[i].execute(step);
	return false;
}

bool path_steps_one(const uint8_t *bytes, size_t size, struct path_memory *memory,
		    struct user_regs_struct *registers)
{
	struct step step = {
		.bytes = bytes, .size = size, .registers = registers, .may = memory};

	if (!take_bytes(&step, &step.opcode, 1))
		return false;
	if (step.opcode == 0x65) {
		step.gs = true;
		if (!take_bytes(&step, &step.opcode, 1))
			return false;
	}
	if ((step.opcode & 0xf0) == 0x40) {
		step.rex = step.opcode & 15;
		step.wide = step.rex & 8;
		if (!take_bytes(&step, &step.opcode, 1))
			return false;
	}
	if (!do_opcode(&step))
		return false;
	registers->rip = step.end ? step.end : registers->rip + step.at;
	return true;
}

const struct plan_function *path_steps_function(const struct module *module, uint64_t rip)
{
	const struct plan *plan = module->file->plan;
	const struct plan_function *function =
		plan_function_of(plan, (uint32_t)(rip - module->code_address));

	return function && function->paths ? function : NULL;
}

static bool is_in_routine(const struct space *space, uint64_t rip)
{
	uint64_t offset = rip - space->family->arena->address;

	return offset >= resident_table()->paths_put_by &&
	       offset < resident_table()->paths_end;
}

/* Whether a thread in the code of a function has to go on to an instruction of the
 * program. */
static bool is_between(const struct module *module, const struct plan_function *function,
		       const uint8_t *bytes, uint64_t rip)
{
	const struct plan *plan = module->file->plan;
	uint32_t offset = (uint32_t)(rip - module->code_address);
	struct map_row row;
	uint32_t start;

	if (!address_map_row(plan, function, offset, &row, &start))
		return true; /* behind the blocks: pieces, tails */
	if (row.kind == MAP_ROW_MOVED && offset != start)
		return true; /* behind a condition: a piece */
	if (row.kind == MAP_ROW_PATH || row.kind == MAP_ROW_PATH_EDGE)
		return true;
	if (row.kind != MAP_ROW_JUMP || *bytes != JUMP_CODE)
		return row.kind == MAP_ROW_JUMP && *bytes == 0xeb;
	/* A jump to the original is left to do. */
	int32_t distance;

	memcpy(&distance, bytes + 1, sizeof(distance));
	return (uint64_t)(offset + 5 + (int64_t)distance) < plan->code.count;
}

/* Leads a thread in the original to where a jump leads, if that is in such a function,
 * but not at its entry. */
static bool follow_text(const struct space *space, struct user_regs_struct *registers)
{
	const struct module *module =
		space->holding ? NULL : space_module_of_text(space, registers->rip);
	const struct plan_function *function;
	uint32_t offset;

	/* The kernel may make a system call again, in front of the jump. */
	if ((int64_t)registers->orig_rax >= 0 || !module || module->broken ||
	    !module->file->plan ||
	    !plan_jump_at(module->file->plan, registers->rip - module->bias, &offset))
		return false;
	function = path_steps_function(module, module->code_address + offset);
	if (!function || offset == function->trampoline)
		return false;
	registers->rip = module->code_address + offset;
	return true;
}

bool path_steps_run(const struct thread *thread, struct user_regs_struct *registers)
{
	const struct space *space = thread->process->space;
	const struct bank *bank = thread->bank;
	bool changed;

	if (!bank || !bank->paths || !space->family)
		return false;
	struct path_memory memory = {.bank = (uint8_t *)bank->shared,
				     .room = bank->chunk->stride,
				     .stack_fd = space->memory_fd};

	changed = follow_text(space, registers);
	for (unsigned i = 0; i < STEPS_MAX; i++) {
		const struct module *module = space_module_of_code(space, registers->rip);
		const struct plan_function *function =
			module ? path_steps_function(module, registers->rip) : NULL;
		uint8_t bytes[INSTRUCTION_MAX] = {0};

		if (!function && !is_in_routine(space, registers->rip))
			break;
		if (remote_failed(remote_read(space->memory_fd, registers->rip, bytes,
					      sizeof(bytes))) ||
		    (function && !is_between(module, function, bytes, registers->rip)) ||
		    !path_steps_one(bytes, sizeof(bytes), &memory, registers))
			break;
		changed = true;
	}
	return changed;
}
