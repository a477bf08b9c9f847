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

/* The text of a file; NULL: it cannot be read, `*ret_why` goes behind that. */
char *document_load(const char *path, const char **ret_why);
/* Takes NULL, too. */
void document_unload(char *text);

/* NULL: it makes no sense at `*ret_wrong`. The text must stay while `at` is wanted. */
const struct document *document_read(const char *text, const char **ret_wrong);

/* A member of an object; NULL: there is none, or `document` is no object, or NULL. */
const struct document *document_member(const struct document *document, const char *name);

/* Lines and columns, from 1 on, of a place in a text. */
void document_place(const char *text, const char *at, size_t *ret_line,
		    size_t *ret_column);

#endif
