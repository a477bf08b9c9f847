/* What loop-report asks: the texts of struct publish_loops, as settings of the service
 * loopreport. */
#ifndef TRAMMEL_RUNTIME_CONFIG_LOOP_QUERIES_H
#define TRAMMEL_RUNTIME_CONFIG_LOOP_QUERIES_H

#include <stdbool.h>
#include <stddef.h>

struct request;

/* `format`: of the tables, with its options; `plain`: it has no room for several. */
void loop_queries_add(struct request *request, const char *format, bool plain);

/* Whether tables of loops have columns of their own for the option. */
bool loop_queries_have(const char *option);

/* Options that tables of loops have columns for, by number; NULL at the end. */
const char *loop_metric_at(size_t index);

#endif
