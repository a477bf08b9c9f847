/* Queries of loop-report: the texts of struct publish_loops, as settings of the service
 * loopreport. */
#ifndef TRAMMEL_RUNTIME_CONFIG_LOOP_QUERIES_H
#define TRAMMEL_RUNTIME_CONFIG_LOOP_QUERIES_H

#include <stdbool.h>
#include <stddef.h>

struct request;

/* Adds the queries to the request. `format`: of the tables, with its options; `plain`:
 * the format cannot hold several tables. */
void loop_queries_add(struct request *request, const char *format, bool plain);

/* Tells whether tables of loops have columns of their own for the option. */
bool loop_queries_have(const char *option);

/* Returns, by number, an option that has columns in tables of loops; NULL after the last
 * one. */
const char *loop_metric_at(size_t index);

#endif
