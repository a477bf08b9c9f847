/*
 * Rules of advice. Adding one: a function in one of the files here, a row in rules.c, and
 * a program in tests/advise.
 */
#ifndef TRAMMEL_ADVISE_RULE_H
#define TRAMMEL_ADVISE_RULE_H

#include "advise/advice.h"
#include "annotate/trips.h"

/* A function, or a cold part of one, whose blocks were counted. */
struct advice_code {
	const struct annotation *annotation;
	const struct routes *routes; /* NULL: it has no graph; nor has it `trips` */
	const struct trips *trips;
};

struct advice_rule {
	const char *name;
	const char *title;  /* what it finds */
	const char *needs;  /* how to measure that, for `trammel run` */
	const char *remedy; /* what to try */
	/* Tells whether the profiles have what the rule needs. */
	bool (*can)(const struct advice *advice);
	/* One of these adds findings. */
	void (*look)(struct advice *advice, const struct advice_rule *rule);
	void (*look_at)(struct advice *advice, const struct advice_rule *rule,
			const struct advice_code *code);
};

extern const struct advice_rule advice_rules[]; /* the last one has no name */

/* What a rule says of one case. `evidence` is taken over. */
struct advice_case {
	uint32_t module;      /* in profile.modules; REPORT_NONE: about no code */
	const char *path;     /* of the module, where that is not among them; or NULL */
	const char *function; /* NULL: about no code */
	uint64_t address;     /* see struct advice_place */
	double share;         /* percent; below 0: not known */
	const char *of;       /* NULL: of what advice_whole says */
	enum advice_confidence confidence;
	struct text evidence;
};

/* Adds a finding of a rule, unless its share is too small, or it is in a library of the
 * system and these are not wanted. */
void advice_add(struct advice *advice, const struct advice_rule *rule,
		struct advice_case *found);

/* Adds a finding of a rule of one's own, with all its texts, which are copied. */
void advice_add_own(struct advice *advice, const struct advice_finding *finding);

/* Tells whether a rule is among those that were asked for. */
bool advice_wants(const struct advice_options *options, const char *rule);

/* Tells whether code of a module is of interest: not a library of the system, or all
 * is. */
bool advice_is_own(const struct advice *advice, uint32_t module);

/* Tells the same of a module by its path. */
bool advice_is_own_path(const struct advice *advice, const char *path);

/* Computes an amount of instructions as percent of all that were executed; below 0 where
 * these were not counted. */
double advice_part(const struct advice *advice, double instructions);

/* Computes the percent of a function in all: of instructions, or else of samples; below 0
 * where neither is known. */
double advice_part_of(const struct advice *advice,
		      const struct report_function *function);

/* What shares are parts of: "instructions", or "samples". */
const char *advice_whole(const struct advice *advice);

#endif
