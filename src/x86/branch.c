#include "x86/branch.h"

#include "x86/decode.h"

#include <Zydis/Zydis.h>
#include <string.h>
#include <unistd.h>

enum { CF = 1, PF = 4, ZF = 0x40, SF = 0x80, OF = 0x800 };

/* Intel SDM vol. 1, appendix B: the low bit of the condition code negates the other
 * three. */
static bool condition_holds(unsigned int condition, uint64_t flags)
{
	bool sign = (flags & SF) != 0, overflow = (flags & OF) != 0;
	const bool conditions[8] = {
		(flags & OF) != 0, (flags & CF) != 0,
		(flags & ZF) != 0, (flags & (CF | ZF)) != 0,
		(flags & SF) != 0, (flags & PF) != 0,
		sign != overflow,  (flags & ZF) || sign != overflow,
	};

	return conditions[condition >> 1 & 7] != (condition & 1);
}

static bool loop_taken(const struct instruction *instruction,
		       struct user_regs_struct *registers, uint64_t *ret_rcx)
{
	const uint8_t *opcode = instruction->bytes + instruction->length - 2;
	bool narrow = instruction->bytes[0] == 0x67;
	uint64_t rcx = registers->rcx;
	bool zero = (registers->eflags & ZF) != 0;

	if (*opcode == 0xe3) {
		*ret_rcx = rcx;
		return (narrow ? (uint32_t)rcx : rcx) == 0;
	}
	rcx = narrow ? (uint32_t)(rcx - 1) : rcx - 1;
	*ret_rcx = rcx;
	return rcx && (*opcode == 0xe2 || zero == (*opcode == 0xe1));
}

static bool read_word(int memory_fd, uint64_t address, uint64_t *ret_word)
{
	return pread(memory_fd, ret_word, sizeof(*ret_word), (off_t)address) ==
	       sizeof(*ret_word);
}

static bool push_word(int memory_fd, uint64_t word, struct user_regs_struct *registers)
{
	if (pwrite(memory_fd, &word, sizeof(word), (off_t)(registers->rsp - 8)) !=
	    sizeof(word))
		return false;
	registers->rsp -= 8;
	return true;
}

static ZydisRegisterContext context_of(const struct user_regs_struct *r, uint64_t address)
{
	ZydisRegisterContext context;
	const uint64_t values[16] = {r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp,
				     r->rsi, r->rdi, r->r8,  r->r9,  r->r10, r->r11,
				     r->r12, r->r13, r->r14, r->r15};

	memset(&context, 0, sizeof(context));
	for (int i = 0; i < 16; i++)
		context.values[ZYDIS_REGISTER_RAX + i] = values[i];
	context.values[ZYDIS_REGISTER_RIP] = address;
	return context;
}

/* The target of an indirect jump or call. */
static bool indirect_target(const struct instruction *instruction, int memory_fd,
			    const struct user_regs_struct *registers,
			    uint64_t *ret_target)
{
	ZydisRegisterContext context = context_of(registers, instruction->address);
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction decoded;
	ZydisDecoder decoder;
	ZyanU64 address;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, instruction->bytes,
					       instruction->length, &decoded, operands)))
		return false;
	if (operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER) {
		*ret_target = context.values[operands[0].reg.value];
		return true;
	}
	if (operands[0].type != ZYDIS_OPERAND_TYPE_MEMORY ||
	    ZYAN_FAILED(ZydisCalcAbsoluteAddressEx(
		    &decoded, &operands[0], instruction->address, &context, &address)))
		return false;
	if (operands[0].mem.segment == ZYDIS_REGISTER_FS)
		address += registers->fs_base;
	return read_word(memory_fd, address, ret_target);
}

static bool emulate_return(const struct instruction *instruction, int memory_fd,
			   struct user_regs_struct *registers)
{
	uint64_t target;
	uint16_t more = 0;

	if (!read_word(memory_fd, registers->rsp, &target))
		return false;
	if (instruction->length >= 3 &&
	    instruction->bytes[instruction->length - 3] == 0xc2)
		memcpy(&more, instruction->bytes + instruction->length - 2, sizeof(more));
	registers->rsp += 8u + more;
	registers->rip = target;
	return true;
}

static bool emulate_indirect(const struct instruction *instruction, int memory_fd,
			     struct user_regs_struct *registers)
{
	uint64_t next = instruction->address + instruction->length, target;

	if (!indirect_target(instruction, memory_fd, registers, &target))
		return false;
	if (instruction->kind == INSTRUCTION_CALL_INDIRECT &&
	    !push_word(memory_fd, next, registers))
		return false;
	registers->rip = target;
	return true;
}

bool branch_emulate(const uint8_t *bytes, size_t size, uint64_t address, int memory_fd,
		    struct user_regs_struct *registers)
{
	struct instruction instruction;
	uint64_t next;

	if (!decode_instruction(bytes, size, address, &instruction))
		return false;
	next = address + instruction.length;
	switch (instruction.kind) {
	case INSTRUCTION_JUMP:
		registers->rip = instruction.target;
		return true;
	case INSTRUCTION_CONDITION:
		registers->rip = condition_holds(instruction.condition, registers->eflags)
					 ? instruction.target
					 : next;
		return true;
	case INSTRUCTION_LOOP: {
		uint64_t rcx;
		bool taken = loop_taken(&instruction, registers, &rcx);

		registers->rcx = rcx;
		registers->rip = taken ? instruction.target : next;
		return true;
	}
	case INSTRUCTION_CALL:
		if (!push_word(memory_fd, next, registers))
			return false;
		registers->rip = instruction.target;
		return true;
	case INSTRUCTION_RETURN:
		return emulate_return(&instruction, memory_fd, registers);
	case INSTRUCTION_JUMP_INDIRECT:
	case INSTRUCTION_CALL_INDIRECT:
		return emulate_indirect(&instruction, memory_fd, registers);
	default:
		return false;
	}
}
