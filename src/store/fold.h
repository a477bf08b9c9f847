/* Samples at addresses that are seldom met become samples of their functions, when runs
 * are compacted: so there are never more addresses in a run than samples can tell apart.
 */
#ifndef TRAMMEL_STORE_FOLD_H
#define TRAMMEL_STORE_FOLD_H

#include "store/sql/sql.h"

/* Makes temp.folded(context, into_context), empty. */
struct trm_error *fold_begin(struct sql *sql);

/* Fills it for the runs in temp.grouped: contexts of samples at addresses with too small
 * a share of the event's samples (less than 1/`shares`), each with that of its
 * function. */
struct trm_error *fold_addresses(struct sql *sql, int64_t shares);

#endif
