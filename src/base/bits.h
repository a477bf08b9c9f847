/*
 * Bitmaps: bit i is bit i % 64 of word i / 64.
 */
#ifndef TRAMMEL_BASE_BITS_H
#define TRAMMEL_BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of words that hold `count` bits: at least 1, so that no array is empty. */
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

/* The bits of word `word` that lie in [from, to). */
static inline uint64_t bits_mask(size_t word, size_t from, size_t to)
{
	uint64_t mask = ~(uint64_t)0;

	if (from > word << 6)
		mask <<= from & 63;
	if (to < (word + 1) << 6)
		mask &= ((uint64_t)1 << (to & 63)) - 1;
	return mask;
}

/* Whether any of the bits in [from, to) is set. */
static inline bool bits_any(const uint64_t *bits, size_t from, size_t to)
{
	for (size_t word = from >> 6; word << 6 < to; word++)
		if (bits[word] & bits_mask(word, from, to))
			return true;
	return false;
}

static inline void bits_set(uint64_t *bits, size_t from, size_t to)
{
	for (size_t word = from >> 6; word << 6 < to; word++)
		bits[word] |= bits_mask(word, from, to);
}

static inline void bits_clear(uint64_t *bits, size_t from, size_t to)
{
	for (size_t word = from >> 6; word << 6 < to; word++)
		bits[word] &= ~bits_mask(word, from, to);
}

/* The first bit in [from, to) that is set; `to` if all are clear. */
static inline size_t bits_next(const uint64_t *bits, size_t from, size_t to)
{
	size_t word = from >> 6;
	uint64_t rest;

	if (from >= to)
		return to;
	rest = bits[word] & ~(uint64_t)0 << (from & 63);
	while (!rest) {
		if (++word << 6 >= to)
			return to;
		rest = bits[word];
	}
	from = (word << 6) + (size_t)__builtin_ctzll(rest);
	return from < to ? from : to;
}

#endif
