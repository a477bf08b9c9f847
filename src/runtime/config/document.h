/* JSON texts (RFC 8259) as trees, in memory of our own that stays. */
#ifndef TRAMMEL_RUNTIME_CONFIG_DOCUMENT_H
#define TRAMMEL_RUNTIME_CONFIG_DOCUMENT_H

#include <stddef.h>

enum document_kind { DOCUMENT_OBJECT, DOCUMENT_ARRAY, DOCUMENT_STRING, DOCUMENT_WORD };

struct document {
	enum document_kind kind;
	const char *name; /* of a member of an object, else NULL */
	const char *text; /* of a string, or of a number or word as it stands there */
	const char *at;   /* where it begins in the text that was read */
	struct document *first; /* of an object or array */
	struct document *next;  /* beside it */
};

/* Loads the text of a file. Returns NULL if it cannot be read; `*ret_why` then has the
 * reason, to be put after the path. */
char *document_load(const char *path, const char **ret_why);
/* Frees a text of document_load(); `text` may be NULL. */
void document_unload(char *text);

/* Parses a text. Returns NULL if it is wrong, from `*ret_wrong` on. The text must stay
 * while `at` of the tree is used. */
const struct document *document_read(const char *text, const char **ret_wrong);

/* Finds a member of an object by name; NULL if it has none, or `document` is not an
 * object or is NULL. */
const struct document *document_member(const struct document *document, const char *name);

/* Computes the line and the column, both from 1 on, of the place `at` in a text. */
void document_place(const char *text, const char *at, size_t *ret_line,
		    size_t *ret_column);

#endif
