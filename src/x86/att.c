#include "x86/att.h"

#include "base/array.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* An instruction that is being written. */
struct writing {
	const ZydisDecodedInstruction *instruction;
	const ZydisDecodedOperand *operands;
	uint64_t address;
	const ZydisDecodedOperand *predicate; /* that the name tells; NULL: none */
	char *text;
	size_t length;
};

__attribute__((format(printf, 2, 3))) static void add(struct writing *writing,
						      const char *format, ...)
{
	const size_t room = ATT_TEXT_MAX - writing->length;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(writing->text + writing->length, room, format, arguments);
	va_end(arguments);
	if (length > 0)
		writing->length += (size_t)length < room ? (size_t)length : room - 1;
}

/* Names of conditions: Intel's, and those that assemblers write. */
static const struct {
	const char *intel, *att;
} conditions[] = {
	{"z", "e"}, {"nz", "ne"}, {"nb", "ae"}, {"nbe", "a"}, {"nl", "ge"}, {"nle", "g"},
};

/* Mnemonics with other names, whatever their operands are. */
static const struct {
	ZydisMnemonic mnemonic;
	const char *name;
} renamed[] = {
	{ZYDIS_MNEMONIC_CBW, "cbtw"},       {ZYDIS_MNEMONIC_CWDE, "cwtl"},
	{ZYDIS_MNEMONIC_CDQE, "cltq"},      {ZYDIS_MNEMONIC_CWD, "cwtd"},
	{ZYDIS_MNEMONIC_CDQ, "cltd"},       {ZYDIS_MNEMONIC_CQO, "cqto"},
	{ZYDIS_MNEMONIC_PUSHFQ, "pushf"},   {ZYDIS_MNEMONIC_POPFQ, "popf"},
	{ZYDIS_MNEMONIC_FWAIT, "fwait"},    {ZYDIS_MNEMONIC_IRETD, "iret"},
	{ZYDIS_MNEMONIC_SYSRET, "sysretl"},
};

/* Instructions whose name tells the size of an operand in memory where no register does.
 */
static const ZydisMnemonic sized[] = {
	ZYDIS_MNEMONIC_ADD, ZYDIS_MNEMONIC_OR,   ZYDIS_MNEMONIC_ADC, ZYDIS_MNEMONIC_SBB,
	ZYDIS_MNEMONIC_AND, ZYDIS_MNEMONIC_SUB,  ZYDIS_MNEMONIC_XOR, ZYDIS_MNEMONIC_CMP,
	ZYDIS_MNEMONIC_MOV, ZYDIS_MNEMONIC_TEST, ZYDIS_MNEMONIC_INC, ZYDIS_MNEMONIC_DEC,
	ZYDIS_MNEMONIC_NOT, ZYDIS_MNEMONIC_NEG,  ZYDIS_MNEMONIC_MUL, ZYDIS_MNEMONIC_IMUL,
	ZYDIS_MNEMONIC_DIV, ZYDIS_MNEMONIC_IDIV, ZYDIS_MNEMONIC_ROL, ZYDIS_MNEMONIC_ROR,
	ZYDIS_MNEMONIC_RCL, ZYDIS_MNEMONIC_RCR,  ZYDIS_MNEMONIC_SHL, ZYDIS_MNEMONIC_SHR,
	ZYDIS_MNEMONIC_SAR, ZYDIS_MNEMONIC_BT,   ZYDIS_MNEMONIC_BTS, ZYDIS_MNEMONIC_BTR,
	ZYDIS_MNEMONIC_BTC, ZYDIS_MNEMONIC_NOP,
};

/* Of these, those whose register %cl tells nothing. */
static bool is_shift(ZydisMnemonic mnemonic)
{
	return mnemonic >= ZYDIS_MNEMONIC_RCL && mnemonic <= ZYDIS_MNEMONIC_RCR
		       ? true
		       : mnemonic == ZYDIS_MNEMONIC_ROL ||
				 mnemonic == ZYDIS_MNEMONIC_ROR ||
				 mnemonic == ZYDIS_MNEMONIC_SHL ||
				 mnemonic == ZYDIS_MNEMONIC_SHR ||
				 mnemonic == ZYDIS_MNEMONIC_SAR;
}

static char size_letter(unsigned int bits)
{
	return bits == 8 ? 'b' : bits == 16 ? 'w' : bits == 32 ? 'l' : 'q';
}

static bool is_memory(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_MEMORY;
}

static bool is_register(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER;
}

/* The operand in memory; NULL: there is none. */
static const ZydisDecodedOperand *memory_of(const struct writing *writing)
{
	for (unsigned int i = 0; i < writing->instruction->operand_count_visible; i++)
		if (is_memory(&writing->operands[i]))
			return &writing->operands[i];
	return NULL;
}

/* Whether a register tells how large the operand in memory is. */
static bool has_sizing_register(const struct writing *writing)
{
	if (writing->instruction->mnemonic == ZYDIS_MNEMONIC_NOP)
		return false;
	for (unsigned int i = 0; i < writing->instruction->operand_count_visible; i++)
		if (is_register(&writing->operands[i]))
			return !is_shift(writing->instruction->mnemonic);
	return false;
}

/* Adds a name with its condition, "cmovnbe" as "cmova". */
static void add_condition(struct writing *writing, const char *name)
{
	static const char *const stems[] = {"cmov", "set", "j"};

	for (size_t i = 0; i < array_count(stems); i++) {
		const size_t length = strlen(stems[i]);

		if (strncmp(name, stems[i], length) != 0)
			continue;
		for (size_t k = 0; k < array_count(conditions); k++)
			if (!strcmp(name + length, conditions[k].intel)) {
				add(writing, "%s%s", stems[i], conditions[k].att);
				return;
			}
	}
	add(writing, "%s", name);
}

/* Adds the suffix of an x87 instruction that has an operand in memory. */
static void add_float_suffix(struct writing *writing, const char *name,
			     const ZydisDecodedOperand *memory)
{
	const bool integer = name[1] == 'i';

	if (memory->element_type != ZYDIS_ELEMENT_TYPE_FLOAT32 &&
	    memory->element_type != ZYDIS_ELEMENT_TYPE_FLOAT64 &&
	    memory->element_type != ZYDIS_ELEMENT_TYPE_FLOAT80 && !integer)
		return;
	if (integer)
		add(writing, "%s",
		    memory->size == 16   ? "s"
		    : memory->size == 32 ? "l"
					 : "ll");
	else
		add(writing, "%s",
		    memory->size == 32   ? "s"
		    : memory->size == 64 ? "l"
					 : "t");
}

/* Adds what follows the name, by the sizes of operands. */
static void add_suffix(struct writing *writing, const char *name)
{
	const ZydisDecodedInstruction *instruction = writing->instruction;
	const ZydisDecodedOperand *memory = memory_of(writing);

	switch (instruction->mnemonic) {
	case ZYDIS_MNEMONIC_CVTSI2SD:
	case ZYDIS_MNEMONIC_CVTSI2SS:
	case ZYDIS_MNEMONIC_VCVTSI2SD:
	case ZYDIS_MNEMONIC_VCVTSI2SS:
	case ZYDIS_MNEMONIC_VCVTUSI2SD:
	case ZYDIS_MNEMONIC_VCVTUSI2SS:
		if (memory)
			add(writing, "%c", size_letter(memory->size));
		return;
	default:
		break;
	}
	if (!memory)
		return;
	if (instruction->meta.category == ZYDIS_CATEGORY_X87_ALU) {
		add_float_suffix(writing, name, memory);
		return;
	}
	for (size_t i = 0; i < array_count(sized); i++)
		if (sized[i] == instruction->mnemonic && !has_sizing_register(writing))
			add(writing, "%c",
			    size_letter(memory->size ? memory->size
						     : instruction->operand_width));
}

/* Adds "movzbl" and the like: both sizes are in the name. */
static void add_extension(struct writing *writing, const char *stem)
{
	add(writing, "%s%c%c", stem, size_letter(writing->operands[1].size),
	    size_letter(writing->operands[0].size));
}

/* Names of comparisons by their last operand. The first eight are those of SSE. */
static const char *const float_predicates[] = {
	"eq",    "lt",     "le",     "unord",    "neq",    "nlt",    "nle",    "ord",
	"eq_uq", "nge",    "ngt",    "false",    "neq_oq", "ge",     "gt",     "true",
	"eq_os", "lt_oq",  "le_oq",  "unord_s",  "neq_us", "nlt_uq", "nle_uq", "ord_s",
	"eq_us", "nge_uq", "ngt_uq", "false_os", "neq_os", "ge_oq",  "gt_oq",  "true_us",
};
static const char *const integer_predicates[] = {"eq",  "lt",  "le",  NULL,
						 "neq", "nlt", "nle", NULL};

/* Of which halves. */
static const char *const products[18] = {
	[0] = "lql", [1] = "hql", [16] = "lqh", [17] = "hqh"};

/* Instructions whose name may tell their last operand: what it stands behind in the name,
 * what follows, and the names of values. */
static const struct predicate {
	const char *stem;
	const char *endings[10];
	const char *const *names;
	size_t count;
} predicates[] = {
	{"cmp", {"ps", "pd", "ss", "sd"}, float_predicates, 8},
	{"vcmp", {"ps", "pd", "ss", "sd", "ph", "sh"}, float_predicates, 32},
	{"vpcmp", {"b", "ub", "w", "uw", "d", "ud", "q", "uq"}, integer_predicates, 8},
	{"pclmul", {"qdq"}, products, 18},
	{"vpclmul", {"qdq"}, products, 18},
};

/* Adds a name that tells a comparison, "cmpltsd". Returns false if the instruction has
 * none. */
static bool add_predicate(struct writing *writing, const char *name)
{
	const ZydisDecodedInstruction *instruction = writing->instruction;
	const unsigned int count = instruction->operand_count_visible;
	const ZydisDecodedOperand *last = &writing->operands[count ? count - 1 : 0];

	if (count < 3 || last->type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return false;
	for (size_t i = 0; i < array_count(predicates); i++) {
		const struct predicate *of = &predicates[i];
		const size_t length = strlen(of->stem);

		if (strncmp(name, of->stem, length) != 0 ||
		    last->imm.value.u >= of->count || !of->names[last->imm.value.u])
			continue;
		for (size_t k = 0; k < array_count(of->endings) && of->endings[k]; k++) {
			if (strcmp(name + length, of->endings[k]) != 0)
				continue;
			add(writing, "%s%s%s", of->stem, of->names[last->imm.value.u],
			    of->endings[k]);
			writing->predicate = last;
			return true;
		}
	}
	return false;
}

static bool has_wide_immediate(const struct writing *writing)
{
	const ZydisDecodedInstruction *instruction = writing->instruction;

	return instruction->mnemonic == ZYDIS_MNEMONIC_MOV &&
	       (instruction->raw.imm[0].size == 64 || instruction->raw.disp.size == 64);
}

/* AT&T's assembler took these the other way round where the destination is not the top of
 * the stack, and so it has stayed. */
static const struct {
	const char *intel, *att;
} reversed[] = {
	{"fsub", "fsubr"},   {"fsubr", "fsub"},   {"fdiv", "fdivr"},
	{"fdivr", "fdiv"},   {"fsubp", "fsubrp"}, {"fsubrp", "fsubp"},
	{"fdivp", "fdivrp"}, {"fdivrp", "fdivp"},
};

static bool is_reversed(const struct writing *writing)
{
	return writing->instruction->meta.isa_set == ZYDIS_ISA_SET_X87 &&
	       (writing->instruction->opcode == 0xdc ||
		writing->instruction->opcode == 0xde) &&
	       !memory_of(writing);
}

static const char *reversed_name(const char *name)
{
	for (size_t i = 0; i < array_count(reversed); i++)
		if (!strcmp(reversed[i].intel, name))
			return reversed[i].att;
	return name;
}

/* Whether a branch leaves the segment. */
static bool instruction_is_far(const ZydisDecodedInstruction *instruction)
{
	return instruction->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR &&
	       (instruction->mnemonic == ZYDIS_MNEMONIC_RET ||
		instruction->mnemonic == ZYDIS_MNEMONIC_CALL ||
		instruction->mnemonic == ZYDIS_MNEMONIC_JMP);
}

static void add_mnemonic(struct writing *writing)
{
	const ZydisMnemonic mnemonic = writing->instruction->mnemonic;
	const char *name = ZydisMnemonicGetString(mnemonic);

	for (size_t i = 0; i < array_count(renamed); i++)
		if (renamed[i].mnemonic == mnemonic) {
			add(writing, "%s", renamed[i].name);
			return;
		}
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_MOVZX:
		add_extension(writing, "movz");
		return;
	case ZYDIS_MNEMONIC_MOVSXD:
		if (writing->operands[0].size < 64)
			break;
		add_extension(writing, "movs");
		return;
	case ZYDIS_MNEMONIC_MOVSX:
		add_extension(writing, "movs");
		return;
	default:
		break;
	}
	if (instruction_is_far(writing->instruction)) {
		add(writing, "l%s", name);
		return;
	}
	if (has_wide_immediate(writing)) {
		add(writing, "movabs");
		return;
	}
	if (add_predicate(writing, name))
		return;
	add_condition(writing, is_reversed(writing) ? reversed_name(name) : name);
	add_suffix(writing, name);
}

static void add_register(struct writing *writing, ZydisRegister number)
{
	if (number >= ZYDIS_REGISTER_ST0 && number <= ZYDIS_REGISTER_ST7)
		add(writing, "%%st(%d)", number - ZYDIS_REGISTER_ST0);
	else
		add(writing, "%%%s", ZydisRegisterGetString(number));
}

/* Adds a displacement with its sign, or an address by itself. */
static void add_displacement(struct writing *writing, int64_t value, bool absolute)
{
	if (value < 0 && !absolute)
		add(writing, "-0x%" PRIx64, -(uint64_t)value);
	else
		add(writing, "0x%" PRIx64, (uint64_t)value);
}

static void add_segment(struct writing *writing, const ZydisDecodedOperand *operand)
{
	const ZydisRegister segment = operand->mem.segment;

	if (segment == ZYDIS_REGISTER_FS || segment == ZYDIS_REGISTER_GS)
		add(writing, "%%%s:", ZydisRegisterGetString(segment));
}

static void add_memory(struct writing *writing, const ZydisDecodedOperand *operand)
{
	const ZydisDecodedInstruction *instruction = writing->instruction;
	const bool based = operand->mem.base != ZYDIS_REGISTER_NONE;
	const bool indexed = operand->mem.index != ZYDIS_REGISTER_NONE;
	const bool empty_index =
		!indexed && instruction->raw.sib.index == 4 &&
		(instruction->attributes & ZYDIS_ATTRIB_HAS_SIB) &&
		!(instruction->raw.rex.X) && based &&
		(instruction->raw.sib.base != 4 || instruction->raw.sib.scale);

	add_segment(writing, operand);
	if (instruction->raw.disp.size || (!based && !indexed))
		add_displacement(writing, operand->mem.disp.value, !based && !indexed);
	if (!based && !indexed)
		return;
	add(writing, "(");
	if (based)
		add_register(writing, operand->mem.base);
	if (indexed) {
		add(writing, ",");
		add_register(writing, operand->mem.index);
		add(writing, ",%d", operand->mem.scale ? operand->mem.scale : 1);
	} else if (empty_index) {
		add(writing, ",%%riz,%d", 1 << instruction->raw.sib.scale);
	}
	add(writing, ")");
}

/* The bits that an immediate stands for, extended to the size of the operation. */
static uint64_t immediate_of(const struct writing *writing,
			     const ZydisDecodedOperand *operand)
{
	const unsigned int bits = writing->instruction->operand_width;
	uint64_t value = operand->imm.value.u;

	if (!operand->imm.is_signed && operand->size < 64)
		return value & ((1ull << operand->size) - 1);
	if (bits && bits < 64)
		value &= (1ull << bits) - 1;
	return value;
}

static void add_immediate(struct writing *writing, const ZydisDecodedOperand *operand)
{
	if (operand->imm.is_relative)
		add(writing, "%" PRIx64,
		    writing->address + writing->instruction->length +
			    operand->imm.value.u);
	else
		add(writing, "$0x%" PRIx64, immediate_of(writing, operand));
}

static bool is_mask_register(const ZydisDecodedOperand *operand)
{
	return is_register(operand) && operand->reg.value >= ZYDIS_REGISTER_K0 &&
	       operand->reg.value <= ZYDIS_REGISTER_K7;
}

/* Adds the mask of a destination, "{%k1}{z}". */
static void add_mask(struct writing *writing, const ZydisDecodedOperand *operand)
{
	const ZydisDecodedInstruction *instruction = writing->instruction;

	if (operand != writing->operands ||
	    instruction->avx.mask.mode <= ZYDIS_MASK_MODE_DISABLED)
		return;
	add(writing, "{%%%s}", ZydisRegisterGetString(instruction->avx.mask.reg));
	if (instruction->avx.mask.mode == ZYDIS_MASK_MODE_ZEROING &&
	    !is_mask_register(operand))
		add(writing, "{z}");
}

static void add_broadcast(struct writing *writing, const ZydisDecodedOperand *operand)
{
	static const struct {
		ZydisBroadcastMode mode;
		const char *text;
	} modes[] = {
		{ZYDIS_BROADCAST_MODE_1_TO_2, "{1to2}"},
		{ZYDIS_BROADCAST_MODE_1_TO_4, "{1to4}"},
		{ZYDIS_BROADCAST_MODE_1_TO_8, "{1to8}"},
		{ZYDIS_BROADCAST_MODE_1_TO_16, "{1to16}"},
	};

	if (!is_memory(operand) || writing->instruction->avx.broadcast.is_static)
		return;
	for (size_t i = 0; i < array_count(modes); i++)
		if (modes[i].mode == writing->instruction->avx.broadcast.mode)
			add(writing, "%s", modes[i].text);
}

/* Whether control goes where the operand says, and not to a place in the text. */
static bool is_indirect(const struct writing *writing)
{
	const ZydisMnemonic mnemonic = writing->instruction->mnemonic;

	return (mnemonic == ZYDIS_MNEMONIC_CALL || mnemonic == ZYDIS_MNEMONIC_JMP) &&
	       !(writing->operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE);
}

static bool is_port(const struct writing *writing, const ZydisDecodedOperand *operand)
{
	return operand->reg.value == ZYDIS_REGISTER_DX &&
	       (writing->instruction->mnemonic == ZYDIS_MNEMONIC_IN ||
		writing->instruction->mnemonic == ZYDIS_MNEMONIC_OUT);
}

static void add_operand(struct writing *writing, const ZydisDecodedOperand *operand)
{
	if (is_indirect(writing))
		add(writing, "*");
	switch (operand->type) {
	case ZYDIS_OPERAND_TYPE_REGISTER:
		if (is_port(writing, operand))
			add(writing, "(%%dx)");
		else if (operand->reg.value == ZYDIS_REGISTER_ST0 &&
			 operand->encoding == ZYDIS_OPERAND_ENCODING_NONE)
			add(writing, "%%st");
		else
			add_register(writing, operand->reg.value);
		break;
	case ZYDIS_OPERAND_TYPE_MEMORY:
		add_memory(writing, operand);
		break;
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		add_immediate(writing, operand);
		break;
	default:
		break;
	}
	add_broadcast(writing, operand);
	add_mask(writing, operand);
}

/* Whether an operand is not written as such: a mask, the register of a nop, the 1 of a
 * shift, the pattern of a comparison. */
static bool is_silent(const struct writing *writing, const ZydisDecodedOperand *operand)
{
	const ZydisDecodedInstruction *instruction = writing->instruction;

	if (operand->encoding == ZYDIS_OPERAND_ENCODING_MASK)
		return true;
	if (instruction->mnemonic == ZYDIS_MNEMONIC_NOP)
		return operand != writing->operands;
	if (is_shift(instruction->mnemonic))
		return operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
		       operand->encoding == ZYDIS_OPERAND_ENCODING_NONE;
	return writing->predicate == operand;
}

/* Whether an instruction also reads %xmm0, which is in no byte of it. */
static bool takes_xmm0(ZydisMnemonic mnemonic)
{
	return mnemonic == ZYDIS_MNEMONIC_PBLENDVB ||
	       mnemonic == ZYDIS_MNEMONIC_BLENDVPS ||
	       mnemonic == ZYDIS_MNEMONIC_BLENDVPD ||
	       mnemonic == ZYDIS_MNEMONIC_SHA256RNDS2;
}

/* Adds the operands, the destination last; those of enter are in Intel's order. */
static void add_operands(struct writing *writing)
{
	const unsigned int count = writing->instruction->operand_count_visible;
	const bool straight = writing->instruction->mnemonic == ZYDIS_MNEMONIC_ENTER;
	const char *between = "";

	if (takes_xmm0(writing->instruction->mnemonic)) {
		add(writing, "%%xmm0");
		between = ",";
	}
	for (unsigned int i = 0; i < count; i++) {
		const ZydisDecodedOperand *operand =
			&writing->operands[straight ? i : count - 1 - i];

		if (is_silent(writing, operand))
			continue;
		add(writing, "%s", between);
		add_operand(writing, operand);
		between = ",";
	}
}

/* Adds prefixes by name, and for those of padding. */
static void add_prefixes(struct writing *writing)
{
	static const struct {
		ZydisInstructionAttributes attribute;
		const char *name;
	} names[] = {
		{ZYDIS_ATTRIB_HAS_LOCK, "lock"}, {ZYDIS_ATTRIB_HAS_REP, "rep"},
		{ZYDIS_ATTRIB_HAS_REPE, "repz"}, {ZYDIS_ATTRIB_HAS_REPNE, "repnz"},
		{ZYDIS_ATTRIB_HAS_BND, "bnd"},   {ZYDIS_ATTRIB_HAS_NOTRACK, "notrack"},
	};
	const ZydisDecodedInstruction *instruction = writing->instruction;

	for (unsigned int i = 0; i < instruction->raw.prefix_count; i++) {
		const uint8_t prefix = instruction->raw.prefixes[i].value;
		const ZydisPrefixType type = instruction->raw.prefixes[i].type;

		/* With REX.W, one that would tell the size does not. */
		if (prefix == 0x66 &&
		    (type == ZYDIS_PREFIX_TYPE_IGNORED ||
		     (type == ZYDIS_PREFIX_TYPE_EFFECTIVE && instruction->raw.rex.W)))
			add(writing, "data16 ");
		else if (prefix == 0xf3 &&
			 instruction->meta.category == ZYDIS_CATEGORY_RET)
			add(writing, "repz ");
	}
	/* Padding in front of calls of __tls_get_addr. */
	if (instruction->raw.rex.W && instruction->mnemonic == ZYDIS_MNEMONIC_CALL &&
	    writing->operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		add(writing, "rex.W ");
	for (size_t i = 0; i < array_count(names); i++)
		if (instruction->attributes & names[i].attribute)
			add(writing, "%s ", names[i].name);
	for (unsigned int i = 0; i < instruction->raw.prefix_count; i++)
		if (instruction->raw.prefixes[i].value == 0x2e &&
		    !(instruction->attributes & ZYDIS_ATTRIB_HAS_NOTRACK))
			add(writing, "cs ");
}

/* Instructions whose operands are in no byte of them: their registers, by size. */
static const struct {
	ZydisMnemonic mnemonic;
	const char *name, *operands;
} strings[] = {
	{ZYDIS_MNEMONIC_MOVSB, "movsb", "%ds:(%rsi),%es:(%rdi)"},
	{ZYDIS_MNEMONIC_MOVSW, "movsw", "%ds:(%rsi),%es:(%rdi)"},
	{ZYDIS_MNEMONIC_MOVSD, "movsl", "%ds:(%rsi),%es:(%rdi)"},
	{ZYDIS_MNEMONIC_MOVSQ, "movsq", "%ds:(%rsi),%es:(%rdi)"},
	{ZYDIS_MNEMONIC_CMPSB, "cmpsb", "%es:(%rdi),%ds:(%rsi)"},
	{ZYDIS_MNEMONIC_CMPSW, "cmpsw", "%es:(%rdi),%ds:(%rsi)"},
	{ZYDIS_MNEMONIC_CMPSD, "cmpsl", "%es:(%rdi),%ds:(%rsi)"},
	{ZYDIS_MNEMONIC_CMPSQ, "cmpsq", "%es:(%rdi),%ds:(%rsi)"},
	{ZYDIS_MNEMONIC_STOSB, "stos", "%al,%es:(%rdi)"},
	{ZYDIS_MNEMONIC_STOSW, "stos", "%ax,%es:(%rdi)"},
	{ZYDIS_MNEMONIC_STOSD, "stos", "%eax,%es:(%rdi)"},
	{ZYDIS_MNEMONIC_STOSQ, "stos", "%rax,%es:(%rdi)"},
	{ZYDIS_MNEMONIC_LODSB, "lods", "%ds:(%rsi),%al"},
	{ZYDIS_MNEMONIC_LODSW, "lods", "%ds:(%rsi),%ax"},
	{ZYDIS_MNEMONIC_LODSD, "lods", "%ds:(%rsi),%eax"},
	{ZYDIS_MNEMONIC_LODSQ, "lods", "%ds:(%rsi),%rax"},
	{ZYDIS_MNEMONIC_SCASB, "scas", "%es:(%rdi),%al"},
	{ZYDIS_MNEMONIC_SCASW, "scas", "%es:(%rdi),%ax"},
	{ZYDIS_MNEMONIC_SCASD, "scas", "%es:(%rdi),%eax"},
	{ZYDIS_MNEMONIC_SCASQ, "scas", "%es:(%rdi),%rax"},
	{ZYDIS_MNEMONIC_INSB, "insb", "(%dx),%es:(%rdi)"},
	{ZYDIS_MNEMONIC_INSW, "insw", "(%dx),%es:(%rdi)"},
	{ZYDIS_MNEMONIC_INSD, "insl", "(%dx),%es:(%rdi)"},
	{ZYDIS_MNEMONIC_OUTSB, "outsb", "%ds:(%rsi),(%dx)"},
	{ZYDIS_MNEMONIC_OUTSW, "outsw", "%ds:(%rsi),(%dx)"},
	{ZYDIS_MNEMONIC_OUTSD, "outsl", "%ds:(%rsi),(%dx)"},
	{ZYDIS_MNEMONIC_XLAT, "xlat", "%ds:(%rbx)"},
};

/* Writes an instruction that has a form of its own; false: it has none. */
static bool add_special(struct writing *writing)
{
	const ZydisDecodedInstruction *instruction = writing->instruction;

	if (instruction->mnemonic == ZYDIS_MNEMONIC_NOP && instruction->opcode == 0x90 &&
	    (instruction->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE)) {
		add_prefixes(writing);
		add(writing, "xchg   %%ax,%%ax");
		return true;
	}
	if (instruction->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT)
		return false;
	for (size_t i = 0; i < array_count(strings); i++) {
		if (strings[i].mnemonic != instruction->mnemonic)
			continue;
		add_prefixes(writing);
		add(writing, "%s", strings[i].name);
		while (writing->length < 6)
			add(writing, " ");
		add(writing, " ");
		add(writing, "%s", strings[i].operands);
		return true;
	}
	return false;
}

/* Adds the address of an operand that lies at a distance from the instruction. */
static void add_place(struct writing *writing)
{
	const ZydisDecodedOperand *memory = memory_of(writing);

	if (memory && memory->mem.base == ZYDIS_REGISTER_RIP)
		add(writing, "        # %" PRIx64,
		    writing->address + writing->instruction->length +
			    (uint64_t)memory->mem.disp.value);
}

void att_format(const ZydisDecodedInstruction *instruction,
		const ZydisDecodedOperand *operands, uint64_t address,
		char ret_text[ATT_TEXT_MAX])
{
	struct writing writing = {instruction, operands, address, NULL, ret_text, 0};

	*ret_text = '\0';
	if (add_special(&writing))
		return;
	add_prefixes(&writing);
	add_mnemonic(&writing);
	if (!instruction->operand_count_visible)
		return;
	while (writing.length < 6)
		add(&writing, " ");
	add(&writing, " ");
	add_operands(&writing);
	add_place(&writing);
}
