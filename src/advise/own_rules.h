/*
 * Rules of one's own, in a file of rules in the query language or a Python program; see
 * docs/advise.md.
 */
#ifndef TRAMMEL_ADVISE_OWN_RULES_H
#define TRAMMEL_ADVISE_OWN_RULES_H

#include "advise/advice.h"

/* Applies the rules of a file to the profiles. Errors: it cannot be read, or a rule makes
 * no sense, with the line. */
struct trm_error *own_rules_apply(struct advice *advice, const char *path);

#endif
