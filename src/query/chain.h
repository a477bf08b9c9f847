/*
 * What a column shows of long keys: of each key the values of one attribute, or of all
 * nested ones, as references. They are found without a walk along the key, compared
 * without their text, and made text only where one is shown.
 */
#ifndef TRAMMEL_QUERY_CHAIN_H
#define TRAMMEL_QUERY_CHAIN_H

#include "base/text.h"
#include "query/keys.h"

enum {
	QUERY_CHAIN_NESTED = -1, /* all nested attributes, instead of one */
};

struct query_chain_place {
	uint32_t holder;
	size_t end; /* bytes */
};

struct query_chain {
	/* By key: the innermost one, at it or above it, whose value is shown; 0: none. */
	uint32_t *holder;
	/* By holder: how many there are up to it, and one above it, from where the others
	 * are near (Myers, An applicative random-access stack, 1983). */
	uint32_t *depth, *jump;
	/* The last whole text, and where the values of its holders end there. */
	struct text text;
	struct VECTOR(struct query_chain_place) places;
};

/* Of all keys there are. The keys must not change as long as it is used. */
struct query_chain *query_chain_create(const struct query_keys *keys, int64_t attribute);
void query_chain_destroy(struct query_chain *chain);

/* The values up to this holder as "a/b/c". Valid until the next call. One that has the
 * beginning of the last one costs only what it has more. */
const struct text *query_chain_text(struct query_chain *chain,
				    const struct query_keys *keys, uint32_t holder);
/* Adds the same; if it is longer than `most` bytes, its middle is left out, and "..."
 * stands for that. */
void query_chain_add_cut(const struct query_chain *chain, const struct query_keys *keys,
			 uint32_t holder, size_t most, struct text *out);

/* The order of two holders (0: none) as query_compare has it of their values: numbers
 * where there is one value alone, text where there are several. */
int query_chain_compare(const struct query_chain *chain, const struct query_keys *keys,
			uint32_t a, uint32_t b);

#endif
