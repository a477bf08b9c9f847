/* Pieces of memory with names, found by addresses in them. */
#ifndef TRAMMEL_CALI_PIECES_H
#define TRAMMEL_CALI_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct piece {
	uint64_t start, size, element_size; /* bytes */
	uint64_t uid; /* from 1 on, in the order in which they came */
	const char *label;
	bool of_heap; /* the service sysalloc saw it; its label is a literal, and others'
			 are the owner's to free */
};

/* Adds a piece, which gets its uid; of those with the same start it is found first.
 * False: there is no memory. */
bool pieces_add(struct piece *piece);
/* Takes out the one that was added last of those that start there, and are of the heap or
 * not. False: there is none. */
bool pieces_take(uint64_t start, bool of_heap, struct piece *ret_piece);
/* The piece that the address lies in; of one that starts inside another one the inner.
 * Its label is copied (size: bytes with the 0), since the piece may go. False: in none.
 */
bool pieces_find(uint64_t address, struct piece *ret_piece, char *ret_label, size_t size);
/* Whether this thread is in one of these functions: memory that they take is nobody's. */
bool pieces_busy(void);

#endif
