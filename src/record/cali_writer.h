/* Writing Caliper's format. */
#ifndef TRAMMEL_RECORD_CALI_WRITER_H
#define TRAMMEL_RECORD_CALI_WRITER_H

#include "record/record.h"

/*
 * Writing the text format of LLNL's Caliper (.cali), which record/cali.h describes. What
 * is written is added to `out`, which the caller may empty between calls. Nodes and
 * attributes are written before their first use, and equal ones once, whichever model
 * they come from. Globals come in a record of their own at the end.
 */
struct cali_writer *cali_writer_create(struct text *out);

/* Sets the model of the following records; it must live until the next call or the
 * end. */
void cali_writer_use(struct cali_writer *writer, const struct record_model *model);
void cali_writer_record(struct cali_writer *writer, record_node node,
			const struct record_pair *pairs, size_t count);

/* Writes a record with several paths, given by their innermost nodes. */
void cali_writer_entries(struct cali_writer *writer, const record_node *nodes,
			 size_t node_count, const struct record_pair *pairs,
			 size_t count);

/* A global. The last value that an attribute was given counts. */
void cali_writer_global(struct cali_writer *writer, record_attribute attribute,
			struct record_value value);

/* Writes the globals and destroys the writer. */
void cali_writer_finish(struct cali_writer *writer);

#endif
