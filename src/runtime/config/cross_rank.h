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
	/* Clauses that the program's own options add to both queries. */
	const struct clauses *own_local, *own_across;
	const char *format; /* with its options */
	bool by_time, without_regions;
};

/* Tells whether the configuration has queries over all ranks. */
bool cross_rank_has(const struct configuration *configuration);

/* Writes the query for each rank to `local` ("" if there is none), and the query over
 * their results to `across`; each has room for `size` bytes. */
void cross_rank_make(const struct across_wish *wish, char *local, char *across,
		     size_t size);

#endif
