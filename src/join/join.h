/*
 * The attributes that records of all kinds share, for those that have them in another
 * record, or only in the files of their modules: of their process (process, program,
 * host), the program's regions (region.path), and the place in the code (block,
 * source.file, source.line). See docs/profile.md, "The same attributes everywhere".
 */
#ifndef TRAMMEL_JOIN_JOIN_H
#define TRAMMEL_JOIN_JOIN_H

#include "record/record.h"

struct query;

/* Has a query read profiles by join_read if it names one of these attributes. */
void join_attach(struct query *query);

/* Reads a profile as trm_read does, but twice, and adds to each record those of these
 * attributes that it lacks and that are known: to all with `image` those of the process,
 * to those with code the block and the line. Standard input is read as by trm_read. */
struct trm_error *join_read(const char *path, struct record_model *model,
			    const struct trm_visitor *visitor, char **ret_warning);

/* The same without what is found in the code: block, source.file and source.line. */
struct trm_error *join_read_processes(const char *path, struct record_model *model,
				      const struct trm_visitor *visitor,
				      char **ret_warning);

#endif
