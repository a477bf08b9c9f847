/*
 * What was found about instructions, by their bytes: programs consist of few different
 * ones, and decoding takes a thousand instructions. For what depends on the bytes alone.
 */
#ifndef TRAMMEL_X86_MEMO_H
#define TRAMMEL_X86_MEMO_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The bytes of an instruction, behind them zeros, and its length. */
struct memo_key {
	uint64_t words[2];
};

static inline struct memo_key memo_key_of(const uint8_t *bytes, size_t length)
{
	struct memo_key key = {{0, 0}};

	memcpy(&key, bytes, length < 15 ? length : 15);
	key.words[1] |= (uint64_t)length << 56;
	return key;
}

static inline int memo_key_is(const struct memo_key *key, const struct memo_key *other)
{
	return key->words[0] == other->words[0] && key->words[1] == other->words[1];
}

/* Computes its row in a table of 1 << `bits` rows. */
static inline size_t memo_row(const struct memo_key *key, unsigned int bits)
{
	return (size_t)((key->words[0] ^ key->words[1] * 0x9e3779b97f4a7c15) *
				0xff51afd7ed558ccd >>
			(64 - bits));
}

#endif
