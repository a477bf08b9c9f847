/* Profiles and their records: included by trammel/control.h, whose head says how errors,
 * threads and objects are. docs/profile.md says what profiles hold. */
#ifndef TRAMMEL_CONTROL_PROFILE_H
#define TRAMMEL_CONTROL_PROFILE_H

#include <trammel/control.h>

#ifdef __cplusplus
extern "C" {
#endif

struct trm_error;
struct trm_process;
struct trm_profile;
struct trm_records;

/* Opens a profile, a file of this host: of trammel's, or of LLNL's Caliper. It is read
 * when something is asked, and must stay until it is released. */
struct trm_error *trm_profile_open(const char *path, struct trm_profile **ret_profile);

/* Opens the profile of a measurement that is over; it stays when the process is released.
 */
struct trm_error *trm_process_profile(struct trm_process *process,
				      struct trm_profile **ret_profile);

/* Makes one profile of several, which `paths` names, NULL at the end, in the file `path`:
 * as `trammel merge`. Each run's host is its attribute "host". */
struct trm_error *trm_profiles_merge(const char *const *paths, const char *path);

/* Writes a copy of the profile to a file. */
struct trm_error *trm_profile_save(struct trm_profile *profile, const char *path);

void trm_profile_release(struct trm_profile *profile);

/* The rows of a query (trammel-query(1)), a record each: "SELECT function, sum(calls) AS
 * calls GROUP BY function ORDER BY calls DESC". An error says where the query is wrong.
 */
struct trm_error *trm_profile_query(struct trm_profile *profile, const char *query,
				    struct trm_records **ret_records);

/* The functions that were executed, those with the most calls first: records with the
 * fields "module", "function" (texts) and "calls", of all processes together. */
struct trm_error *trm_profile_functions(struct trm_profile *profile,
					struct trm_records **ret_records);

/* All records as the file has them, and, as one record that comes first, the globals. */
struct trm_error *trm_profile_records(struct trm_profile *profile,
				      struct trm_records **ret_records);

/* How a field's value is to be read. */
enum trm_field_kind {
	TRM_FIELD_NONE,
	TRM_FIELD_INTEGER, /* trm_field.integer; of numbers above its range: number */
	TRM_FIELD_NUMBER,  /* trm_field.number: above the range of `integer` */
	TRM_FIELD_REAL,    /* trm_field.real */
	TRM_FIELD_TEXT,    /* trm_field.text */
	TRM_FIELD_FLAG,    /* trm_field.integer: 0 or 1 */
	TRM_FIELD_ADDRESS, /* trm_field.number */
	TRM_FIELD_DATA,    /* trm_field.text, of text_size bytes */
};

struct trm_field {
	size_t size; /* sizeof(struct trm_field); set by the caller */
	enum trm_field_kind kind;
	const char *name;
	const char *text; /* a text ends with a 0, which text_size does not count */
	size_t text_size;
	int64_t integer;
	uint64_t number;
	double real;
	bool nested; /* a part of the record's path: those of it come outermost first */
};

/* The number of records, and of fields of a record; `record` counts from 0 on. */
struct trm_error *trm_records_count(struct trm_records *records, size_t *ret_count);
struct trm_error *trm_records_fields(struct trm_records *records, size_t record,
				     size_t *ret_count);
/* A field of a record. What it points to is valid as long as the records. */
struct trm_error *trm_records_field(struct trm_records *records, size_t record,
				    size_t field, struct trm_field *ret_field);
/* The field of a name; TRM_FIELD_NONE: the record has none. */
struct trm_error *trm_records_find(struct trm_records *records, size_t record,
				   const char *name, struct trm_field *ret_field);
void trm_records_release(struct trm_records *records);

#ifdef __cplusplus
}
#endif

#endif
