/*
 * What a profile has beside counts of places: tables of tools, probes, values and waits,
 * as rows with columns, for formats that hold tables.
 */
#ifndef TRAMMEL_EXPORT_RECORDS_H
#define TRAMMEL_EXPORT_RECORDS_H

#include "base/error.h"
#include "base/table.h"
#include "report/profile.h"

enum export_cell_type {
	EXPORT_INT,
	EXPORT_UINT,
	EXPORT_REAL,
	EXPORT_TEXT,
	EXPORT_ADDRESS
};

struct export_column {
	const char *name;
	uint8_t type; /* enum export_cell_type */
};

/* A value of the column's type. */
struct export_cell {
	bool there;
	union {
		int64_t i;
		uint64_t u;
		double d;
		const char *text;
	};
};

struct export_records {
	const char *name; /* "cache/levels", "probes", "probe hits", "waits" */
	struct VECTOR(struct export_column) columns;
	struct VECTOR(struct export_cell) cells; /* row by row */
};

struct export_record_list {
	struct VECTOR(struct export_records) tables;
	struct string_table texts; /* that the profile does not have */
};

/* Collects the tables of what is selected in a profile, which must outlive them; `path`
 * is that of its file, from which waits are read. The caller deinits the list, also after
 * an error. */
struct trm_error *export_records_init(struct export_record_list *list,
				      const struct report_profile *profile,
				      const char *path);
void export_records_deinit(struct export_record_list *list);

/* Returns the table of a name; NULL: there is none. */
const struct export_records *export_records_find(const struct export_record_list *list,
						 const char *name);

/* Adds the names of all tables, with commas between them. */
void export_records_names(const struct export_record_list *list, struct text *text);

#endif
