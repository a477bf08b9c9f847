/* Exports by the formats of src/export, and by what other commands write. */
#ifndef TRAMMEL_CLI_EXPORTS_EXPORTING_H
#define TRAMMEL_CLI_EXPORTS_EXPORTING_H

#include "export/format.h"

/* What is exported. */
struct exporting {
	const struct export_format *format;
	struct report_profile *profile;
	const char *path;   /* of the profile's file */
	const char *module; /* glob for the modules that are selected; NULL: all */
	bool selects;       /* not all of the profile is selected */
	const struct export_options *options;
};

/* Returns the format with this number, from 0 on; NULL behind the last. Those that other
 * commands write, too, have no `write`. */
const struct export_format *exporting_formats(size_t number);

/* Writes a profile to `fd`; `compressed`: as gzip. `path`: the name under which the file
 * is written; NULL: it has none. Says on standard error what the format has no room for.
 * Errors: those of the format, and of the disk. */
struct trm_error *exporting_write(const struct exporting *exporting, int fd,
				  const char *path, bool compressed);

#endif
