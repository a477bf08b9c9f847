/* Named pieces of memory, found by the addresses in them. */
#ifndef TRAMMEL_CALI_PIECES_H
#define TRAMMEL_CALI_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct piece {
	uint64_t start, size, element_size; /* bytes */
	uint64_t uid;                       /* from 1 on, in the order of pieces_add */
	const char *label;
	bool of_heap; /* added by the service sysalloc; its label is a literal; labels of
			 other pieces are freed by their owner */
};

/* Adds a piece and sets its uid. Of several with one start it is found first. False if
 * there is no memory. */
bool pieces_add(struct piece *piece);
/* Removes the piece added last of those that start at `start` and have this `of_heap`,
 * and writes it to `ret_piece`. False if there is none. */
bool pieces_take(uint64_t start, bool of_heap, struct piece *ret_piece);
/* Writes the piece that contains `address` to `ret_piece`; of nested pieces the
 * innermost. Its label is copied to `ret_label` (`size` bytes with the 0), since the
 * piece may be removed meanwhile. False if there is none. */
bool pieces_find(uint64_t address, struct piece *ret_piece, char *ret_label, size_t size);
/* Whether this thread is in one of these functions: memory that they allocate is not
 * tracked. */
bool pieces_busy(void);

#endif
