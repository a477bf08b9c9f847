/*
 * Columns over long keys: for each key the values of one attribute, or of all nested
 * ones, as references. They are found without walking the key, compared without their
 * text, and made text only where they are shown.
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
	size_t end; /* offset in `text`, bytes */
};

struct query_chain {
	/* By key: its holder, the innermost node at or above it with such a value; 0:
	 * none. */
	uint32_t *holder;
	/* By holder: the number of holders up to it, and one above it as a shortcut
	 * (Myers, An applicative random-access stack, 1983). */
	uint32_t *depth, *jump;
	/* The text made last, and where the values of its holders end in it. */
	struct text text;
	struct VECTOR(struct query_chain_place) places;
};

/* Creates the chain of an attribute (or QUERY_CHAIN_NESTED) over all keys. The keys must
 * not change as long as it is used. */
struct query_chain *query_chain_create(const struct query_keys *keys, int64_t attribute);
void query_chain_destroy(struct query_chain *chain);

/* The values up to a holder as "a/b/c". Valid until the next call. Costs only the part
 * that differs from the text made last. */
const struct text *query_chain_text(struct query_chain *chain,
				    const struct query_keys *keys, uint32_t holder);
/* Adds the values up to a holder as "a/b/c"; if they are longer than `most` bytes, "..."
 * replaces the middle. */
void query_chain_add_cut(const struct query_chain *chain, const struct query_keys *keys,
			 uint32_t holder, size_t most, struct text *out);

/* Compares two holders (0: none) as query_compare does their values: as a number if there
 * is one value, as text if there are several. */
int query_chain_compare(const struct query_chain *chain, const struct query_keys *keys,
			uint32_t a, uint32_t b);

#endif
