/* Rules of one's own in Python: see docs/advise.md. */
#ifndef TRAMMEL_ADVISE_PYTHON_RULES_H
#define TRAMMEL_ADVISE_PYTHON_RULES_H

#include "advise/advice.h"

/* Runs a Python program with the profiles as arguments, and takes the findings that it
 * prints: a JSON object a line. Errors: it cannot be run, fails, or prints something
 * else. */
struct trm_error *python_rules_apply(struct advice *advice, const char *path);

#endif
