/*
 * Long lists of a page's data. As JSON they are in it; in a page they are elements of
 * their own, so that a browser can show the page before it has read all of them.
 */
#ifndef TRAMMEL_PAGE_PARTS_H
#define TRAMMEL_PAGE_PARTS_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where data goes. */
struct page_out {
	struct text *json;
	bool apart; /* long lists become elements */
	struct text early,
		late;   /* elements that the page needs at first, and the others */
	unsigned parts; /* how many there are */
	struct trm_error *error; /* the first one; NULL */
};

/* Adds numbers, as a JSON list or, apart, as an element of 32-bit integers or doubles.
 * `is_signed`: they are int32_t, as -1. */
void page_add_numbers(struct page_out *out, const uint64_t *values, size_t count,
		      bool is_signed, bool early);

/* Adds `count` texts, which stand one a line, as a JSON list or as an element. */
void page_add_lines(struct page_out *out, const struct text *lines, size_t count);

/* Adds the same as one JSON string, or as an element. */
void page_add_text(struct page_out *out, const struct text *lines, size_t count);

/* Adds an element with bytes in it: compressed (zlib), and in base64. Error
 * (TRM_ERROR_LIMIT): no memory. */
struct trm_error *page_add_element(struct text *out, const char *attributes,
				   const void *bytes, size_t size);

#endif
