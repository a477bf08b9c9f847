/* Options that take a word: what each takes, and where it goes. */
#ifndef TRAMMEL_CLI_OPTIONS_WORDS_H
#define TRAMMEL_CLI_OPTIONS_WORDS_H

#include "base/error.h"
#include "cli/measuring.h"

#include <stdbool.h>
#include <stdint.h>

/* Parses a time such as "10s" into nanoseconds; an error if `text` is not a time or is
 * zero. */
struct trm_error *measuring_time(const char *option, const char *text, uint64_t *ret_ns);

/* Takes the word of an option (enum measuring_option). */
struct trm_error *measuring_take_word(struct measuring *given, int option,
				      const char *word);

/* Returns what kind of word an option (enum measuring_option) takes: "patterns", "time",
 * "number", ...; "text" for those without a number of their own. */
const char *measuring_word_kind(int option);

/* Returns whether words of such an option add up: else the last one is meant. */
bool measuring_word_adds(int option);

#endif
