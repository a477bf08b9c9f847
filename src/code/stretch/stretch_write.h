/* Writing the single instructions of stretches: see stretch.h. */
#ifndef TRAMMEL_CODE_STRETCH_STRETCH_WRITE_H
#define TRAMMEL_CODE_STRETCH_STRETCH_WRITE_H

#include "code/stretch/stretch.h"
#include "x86/all_operands.h"

/* Code under way. */
struct stretch_writer {
	struct stretch *stretch;
	uint32_t distance; /* as in struct stretch_request */
};

static inline uint32_t stretch_here(const struct stretch_writer *writer)
{
	return (uint32_t)writer->stretch->code.count;
}

void stretch_bytes(struct stretch_writer *writer, const void *bytes, size_t size);
#define STRETCH_BYTES(writer, ...)                                                       \
	stretch_bytes((writer), (const uint8_t[]){__VA_ARGS__},                          \
		      sizeof((const uint8_t[]){__VA_ARGS__}))

/* Writes a number of 4 or 8 bytes. */
void stretch_word32(struct stretch_writer *writer, uint32_t word);
void stretch_word64(struct stretch_writer *writer, uint64_t word);

/* Writes register `number` to word `word`, or reads it from there. */
void stretch_store(struct stretch_writer *writer, unsigned int number, unsigned int word);
void stretch_load(struct stretch_writer *writer, unsigned int number, unsigned int word);

/* Writes the low 64 bits of a vector register; a mask register; the x87 state (64 words
 * from an even one on). */
void stretch_store_vector(struct stretch_writer *writer, unsigned int number,
			  unsigned int word);
void stretch_store_mask(struct stretch_writer *writer, unsigned int number,
			unsigned int word);
void stretch_store_x87(struct stretch_writer *writer, unsigned int word);

/* Writes a number to word `word`. */
void stretch_store_constant(struct stretch_writer *writer, uint32_t number,
			    unsigned int word);

/* Sets a register to a number. */
void stretch_constant(struct stretch_writer *writer, unsigned int number, uint64_t value);

/* Sets rcx to 0 if `size` bytes at an address are these: 4, 2 or 1; else to another
 * number. */
void stretch_compare(struct stretch_writer *writer, uint64_t address,
		     const uint8_t *bytes, uint32_t size);

/* Loads up to 8 of the `size` bytes of a memory operand into a register, which is none of
 * those in the address. */
void stretch_load_memory(struct stretch_writer *writer, unsigned int number,
			 const struct stretch_memory *memory);

/* Pushes a return address. The thread is at the instruction itself until the last of the
 * instructions is done. */
void stretch_push(struct stretch_writer *writer, uint64_t address);

/* Adds a number to rsp without changing flags. */
void stretch_move_stack(struct stretch_writer *writer, int32_t bytes);

/* Jumps to an address, or to that in word STRETCH_WORD_TARGET. */
void stretch_jump(struct stretch_writer *writer, uint64_t address);
void stretch_jump_target(struct stretch_writer *writer);

#endif
