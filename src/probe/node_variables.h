/* Nodes of the measured program's variables, arguments and results. Only for node_make.c
 * and what keeps values. */
#ifndef TRAMMEL_PROBE_NODE_VARIABLES_H
#define TRAMMEL_PROBE_NODE_VARIABLES_H

#include "probe/node.h"

/* Makes nodes of argument `term`->number, as far as it is known with its type. */
struct trm_error *probe_make_argument(struct probe_site *site,
				      const struct probe_term *term,
				      struct probe_value *ret_value);

/* Makes nodes of a variable by its name. */
struct trm_error *probe_make_variable(struct probe_site *site,
				      const struct probe_term *term,
				      struct probe_value *ret_value);

/* Makes nodes of what the function returns. */
struct trm_error *probe_make_result(struct probe_site *site,
				    struct probe_value *ret_value);

/* Makes nodes of the return address of the function's call. */
struct trm_error *probe_make_caller(struct probe_site *site,
				    const struct probe_term *term,
				    struct probe_value *ret_value);

/* Returns whether a value of a type of the program is in one word. */
bool probe_is_one_word(const struct probe_site *site, uint32_t type);

/* Makes nodes of what a function has at its entry, to be kept for its return. */
struct trm_error *probe_make_kept(struct probe_site *site, const struct probe_term *term,
				  uint32_t *ret_node);

/* Makes a value of an argument of floating point, by its number; or of the result. */
struct trm_error *probe_make_float_argument(struct probe_site *site,
					    const struct probe_term *term,
					    struct probe_value *ret_value);
struct trm_error *probe_make_float_result(struct probe_site *site,
					  struct probe_value *ret_value);

#endif
