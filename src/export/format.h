/*
 * The formats that profiles are exported in, a file each. Adding one: its file, its line
 * in formats.h, and a row in the table of format.c.
 */
#ifndef TRAMMEL_EXPORT_FORMAT_H
#define TRAMMEL_EXPORT_FORMAT_H

#include "base/error.h"
#include "export/out.h"
#include "export/records.h"
#include "export/view.h"

#include <stdbool.h>

/* What the user may ask of a format. */
struct export_options {
	const char *path; /* of the profile's file: for events of traces */
	const char *type; /* name of the type to show; NULL: the most telling one */
	/* What is no count of a place; and the one table of it that csv writes, NULL: it
	 * writes the places. */
	const struct export_record_list *records;
	const struct export_records *table;
	bool addresses; /* callgrind: costs by instruction, too */
	bool jumps;     /* callgrind: with jumps */
	bool split;     /* pprof: one location for each inlined function */
};

struct export_format {
	const char *name;
	const char *needs; /* what must have been measured */
	const char *reads; /* programs that read it */
	bool places;       /* it has places in the source */
	bool compressed;   /* always, as gzip */
	bool one_type;     /* it shows numbers of one type */
	bool bounded;      /* its counts are at most INT64_MAX */
	bool binary;
	bool records; /* it has tables of tools, probes and waits, too */
	/* Writes the view. Error (TRM_ERROR_USAGE): the profile has nothing for it. */
	struct trm_error *(*write)(struct export_view *view,
				   const struct export_options *options,
				   struct export_out *out);
};

/* All of them; the last one has no name. */
extern const struct export_format export_formats[];

/* Returns the format of a name; NULL: there is none. */
const struct export_format *export_format_find(const char *name);

/* Chooses the type that a format with one type shows. Error (TRM_ERROR_USAGE): the
 * profile has none, or none of the name asked for. */
struct trm_error *export_choose_type(const struct export_view *view,
				     const struct export_options *options,
				     uint32_t *ret_type);

/* Makes the view of what is selected in a profile and writes it to `fd` in a format.
 * `compressed`: as gzip, also where the format is not. Errors: those of the format, and
 * of the disk. */
struct trm_error *export_write(const struct export_format *format,
			       struct report_profile *profile,
			       const struct export_options *options, int fd,
			       bool compressed);

#endif
