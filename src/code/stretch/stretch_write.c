#include "code/stretch/stretch_write.h"

enum { RCX = 1, RSP = 4, REX_W = 0x48, WORD = 8 };

void stretch_bytes(struct stretch_writer *writer, const void *bytes, size_t size)
{
	struct stretch *stretch = writer->stretch;

	vector_reserve(&stretch->code, stretch->code.count + size);
	memcpy(stretch->code.items + stretch->code.count, bytes, size);
	stretch->code.count += size;
}

void stretch_word32(struct stretch_writer *writer, uint32_t word)
{
	stretch_bytes(writer, &word, sizeof(word));
}

void stretch_word64(struct stretch_writer *writer, uint64_t word)
{
	stretch_bytes(writer, &word, sizeof(word));
}

/* The displacement of a word, `behind` bytes in front of the instruction's end. */
static void write_place(struct stretch_writer *writer, unsigned int word, uint32_t behind)
{
	const uint32_t end = stretch_here(writer) + (uint32_t)sizeof(uint32_t) + behind;

	stretch_word32(writer, writer->distance + word * WORD - end);
}

/* An instruction with a register and a word: REX.R from bit 3 of the number. */
static void write_move(struct stretch_writer *writer, uint8_t opcode, unsigned int number,
		       unsigned int word)
{
	STRETCH_BYTES(writer, (uint8_t)(REX_W | (number >> 3) << 2), opcode,
		      (uint8_t)((number & 7) << 3 | 5));
	write_place(writer, word, 0);
}

void stretch_store(struct stretch_writer *writer, unsigned int number, unsigned int word)
{
	write_move(writer, 0x89, number, word);
}

void stretch_load(struct stretch_writer *writer, unsigned int number, unsigned int word)
{
	write_move(writer, 0x8b, number, word);
}

/* movq, of registers above 15 in the form with an EVEX prefix. */
void stretch_store_vector(struct stretch_writer *writer, unsigned int number,
			  unsigned int word)
{
	const uint8_t modrm = (uint8_t)((number & 7) << 3 | 5);

	if (number < 16)
		STRETCH_BYTES(writer, 0x66, (uint8_t)(0x40 | (number >> 3) << 2), 0x0f,
			      0xd6, modrm);
	else
		STRETCH_BYTES(writer, 0x62, (uint8_t)(0x61 | (~number >> 3 & 1) << 7),
			      0xfd, 0x08, 0xd6, modrm);
	write_place(writer, word, 0);
}

/* kmovw: mask registers of more bits are told by their low 16. */
void stretch_store_mask(struct stretch_writer *writer, unsigned int number,
			unsigned int word)
{
	STRETCH_BYTES(writer, 0xc5, 0xf8, 0x91, (uint8_t)((number & 7) << 3 | 5));
	write_place(writer, word, 0);
}

void stretch_store_x87(struct stretch_writer *writer, unsigned int word)
{
	STRETCH_BYTES(writer, REX_W, 0x0f, 0xae, 0x05); /* fxsave64 */
	write_place(writer, word, 0);
}

void stretch_store_constant(struct stretch_writer *writer, uint32_t number,
			    unsigned int word)
{
	STRETCH_BYTES(writer, 0xc7, 0x05);
	write_place(writer, word, sizeof(number));
	stretch_word32(writer, number);
}

void stretch_constant(struct stretch_writer *writer, unsigned int number, uint64_t value)
{
	STRETCH_BYTES(writer, (uint8_t)(REX_W | number >> 3),
		      (uint8_t)(0xb8 | (number & 7)));
	stretch_word64(writer, value);
}

void stretch_compare(struct stretch_writer *writer, uint64_t address,
		     const uint8_t *bytes, uint32_t size)
{
	uint32_t value = 0;

	memcpy(&value, bytes, size);
	stretch_constant(writer, RCX, address);
	if (size == 4)
		STRETCH_BYTES(writer, 0x8b, 0x09); /* mov (%rcx), %ecx */
	else                                       /* movzx */
		STRETCH_BYTES(writer, 0x0f, size == 2 ? 0xb7 : 0xb6, 0x09);
	STRETCH_BYTES(writer, 0x8d, 0x89); /* lea -value(%rcx), %ecx */
	stretch_word32(writer, 0 - value);
}

/* The opcode that loads so many bytes, extended by zeros. */
static void write_load_opcode(struct stretch_writer *writer, uint8_t rex, uint16_t size)
{
	if (size >= WORD)
		STRETCH_BYTES(writer, (uint8_t)(rex | REX_W), 0x8b);
	else if (size >= 4)
		STRETCH_BYTES(writer, rex, 0x8b);
	else
		STRETCH_BYTES(writer, rex, 0x0f, size >= 2 ? 0xb7 : 0xb6);
}

static uint8_t scale_bits(uint8_t scale)
{
	return scale == 8 ? 3 : scale == 4 ? 2 : scale == 2 ? 1 : 0;
}

void stretch_load_memory(struct stretch_writer *writer, unsigned int number,
			 const struct stretch_memory *memory)
{
	const bool rip = memory->base == ALL_OPERANDS_RIP;
	const unsigned int base = rip ? number : memory->base < 16 ? memory->base : 5;
	const unsigned int index = memory->index < 16 ? memory->index : RSP;
	const bool based = rip || memory->base < 16;

	if (rip)
		stretch_constant(writer, number, (uint64_t)memory->displacement);
	if (memory->segment == ALL_OPERANDS_FS)
		STRETCH_BYTES(writer, 0x64);
	if (memory->segment == ALL_OPERANDS_GS)
		STRETCH_BYTES(writer, 0x65);
	write_load_opcode(writer,
			  (uint8_t)(0x40 | (number >> 3) << 2 | (index >> 3) << 1 |
				    (based ? base >> 3 : 0)),
			  memory->size);
	STRETCH_BYTES(writer, (uint8_t)((based ? 0x80 : 0) | (number & 7) << 3 | 4),
		      (uint8_t)(scale_bits(memory->scale) << 6 | (index & 7) << 3 |
				(base & 7)));
	stretch_word32(writer, rip ? 0 : (uint32_t)memory->displacement);
}

/* What is below rsp is overwritten by the call, too. */
void stretch_push(struct stretch_writer *writer, uint64_t address)
{
	STRETCH_BYTES(writer, 0xc7, 0x44, 0x24, 0xf8); /* movl ..., -8(%rsp) */
	stretch_word32(writer, (uint32_t)address);
	STRETCH_BYTES(writer, 0xc7, 0x44, 0x24, 0xfc); /* movl ..., -4(%rsp) */
	stretch_word32(writer, (uint32_t)(address >> 32));
	stretch_move_stack(writer, -WORD);
}

void stretch_move_stack(struct stretch_writer *writer, int32_t bytes)
{
	STRETCH_BYTES(writer, REX_W, 0x8d, 0xa4, 0x24); /* lea bytes(%rsp), %rsp */
	stretch_word32(writer, (uint32_t)bytes);
}

void stretch_jump(struct stretch_writer *writer, uint64_t address)
{
	STRETCH_BYTES(writer, 0xff, 0x25, 0, 0, 0, 0); /* jmp *(%rip) */
	stretch_word64(writer, address);
}

void stretch_jump_target(struct stretch_writer *writer)
{
	STRETCH_BYTES(writer, 0xff, 0x25);
	write_place(writer, STRETCH_WORD_TARGET, 0);
}
