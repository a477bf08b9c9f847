/* Comparison of a program's text with a string of the spool, made at each event that has
 * a name. */
#ifndef TRAMMEL_RUNTIME_STORE_TEXT_H
#define TRAMMEL_RUNTIME_STORE_TEXT_H

#include "wire/context.h"

#include <stdbool.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEXT_BY_BYTES 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEXT_BY_BYTES 1
#endif

#ifdef TEXT_BY_BYTES
static inline bool text_is(const struct context_string *known, const char *text)
{
	return !strcmp(known->bytes, text);
}
#else
/*
 * Returns whether `text`, 0-terminated, equals the string `known`. Both are read in words
 * of 8 bytes at multiples of 8, so no read reaches a page without bytes of the text, or
 * goes beyond the word that has its end. Bytes of a word that are in front of the text or
 * behind it are shifted out.
 */
static inline __attribute__((always_inline)) bool
text_is(const struct context_string *known, const char *text)
{
	typedef uint64_t __attribute__((may_alias)) word;
	const uint64_t skew = (uintptr_t)text % 8 * 8;   /* bits in front of the text */
	uint64_t left = ((uint64_t)known->size + 1) * 8; /* bits, with the 0 */
	const word *to = (const void *)known->bytes;
	const word *at = (const void *)(text - skew / 8);
	uint64_t has = *at >> skew;

	for (;; left -= 64, to++) {
		uint64_t differs = *to ^ has;

		if (left <= 64 - skew)
			return !(differs << (64 - left));
		if (differs << skew)
			return false;
		/* So far the texts are the same and go on: there is another word. */
		has = *++at;
		if (skew) {
			uint64_t rest = left - (64 - skew);

			differs = *to >> (64 - skew) ^ has;
			if (rest <= skew)
				return !(differs << (64 - rest));
			if (differs << (64 - skew))
				return false;
		}
		has >>= skew;
	}
}
#endif

#endif
