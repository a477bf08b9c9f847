/*
 * Bitmaps: bit i is bit i % 64 of word i / 64.
 */
#ifndef TRAMMEL_CODE_BITS_H
#define TRAMMEL_CODE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Words that hold `count` bits; one more than needed, so that none is an array of 0. */
static inline size_t bit_words(size_t count)
{
	return count / 64 + 1;
}

static inline bool bit_test(const uint64_t *bits, size_t index)
{
	return bits[index >> 6] >> (index & 63) & 1;
}

static inline void bit_set(uint64_t *bits, size_t index)
{
	bits[index >> 6] |= (uint64_t)1 << (index & 63);
}

static inline void bit_clear(uint64_t *bits, size_t index)
{
	bits[index >> 6] &= ~((uint64_t)1 << (index & 63));
}

#endif
