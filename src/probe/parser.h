/*
 * Reading the text of probes: words, numbers and symbols, and errors that point at them.
 * Only for the parser.
 */
#ifndef TRAMMEL_PROBE_PARSER_H
#define TRAMMEL_PROBE_PARSER_H

#include "probe/program.h"

enum { PROBE_DEPTH_MAX = 24 }; /* of terms in each other */

struct probe_parser {
	struct probe_program *program;
	const char *text;
	size_t at;    /* offset of the next byte */
	size_t place; /* of the error */
	int depth;
};

/* Steps over spaces and comments (from # to the end of the line). Returns the next
 * byte; 0 at the end. */
char probe_next(struct probe_parser *parser);

/* Steps over `symbol` if it comes next; of symbols that begin alike, the caller asks for
 * the longer ones first. */
bool probe_accept(struct probe_parser *parser, const char *symbol);

/* Requires it. */
struct trm_error *probe_need(struct probe_parser *parser, const char *symbol);

/* Steps over a word if one comes next and it is `word`. */
bool probe_accept_word(struct probe_parser *parser, const char *word);

/* Reads a word (letters, digits and underlines; names of C++ have :: in them); free() it.
 * NULL: none comes next. */
char *probe_read_word(struct probe_parser *parser);

/* Reads a number, with a unit: 10, 0x1f, 4K, 10us. False: none comes next. An error of
 * its unit or size is about the number. */
struct trm_error *probe_read_number(struct probe_parser *parser, bool *ret_was,
				    uint64_t *ret_number);

/* Returns the text from an offset to the one read last, without spaces at its ends;
 * free() it. */
char *probe_text_from(const struct probe_parser *parser, size_t begin);

/* Makes an error about an offset in the text. */
struct trm_error *probe_complain(struct probe_parser *parser, size_t place,
				 const char *format, ...)
	__attribute__((format(printf, 3, 4), warn_unused_result));

/* Makes an error about a word that is none of `names` (NULL at the end): `what "word"`,
 * with the nearest name, if one is near. */
struct trm_error *probe_complain_unknown(struct probe_parser *parser, size_t place,
					 const char *what, const char *word,
					 const char *const *names);

/* Adds a variable's name, if it is new, and returns its number. */
uint32_t probe_name_number(struct probe_names *names, const char *name);

#endif
