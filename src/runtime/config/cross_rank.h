/* Queries of built-in configurations over all ranks of a parallel program: tables. */
#ifndef TRAMMEL_RUNTIME_CONFIG_CROSS_RANK_H
#define TRAMMEL_RUNTIME_CONFIG_CROSS_RANK_H

#include <stdbool.h>
#include <stddef.h>

struct clauses;
struct configuration;
struct configuration_option;

struct across_wish {
	const struct configuration *configuration;
	const struct configuration_option *const *options; /* that are on */
	size_t option_count;
	const char *columns; /* of the query that the configuration has for one process */
	/* What options of the program's own add to both. */
	const struct clauses *own_local, *own_across;
	const char *format; /* with its options */
	bool by_time, without_regions;
};

/* Whether the configuration has any. */
bool cross_rank_has(const struct configuration *configuration);

/* The query for each rank ("": none), and the one over what these make. */
void cross_rank_make(const struct across_wish *wish, char *local, char *across,
		     size_t size);

#endif
