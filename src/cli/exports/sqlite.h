/* Exports to SQLite. */
#ifndef TRAMMEL_CLI_EXPORTS_SQLITE_H
#define TRAMMEL_CLI_EXPORTS_SQLITE_H

#include "cli/exports/exporting.h"

/* Writes a profile to a new SQLite database at `path`, an empty file. Error
 * (TRM_ERROR_UNSUPPORTED): this trammel was built without SQLite. */
struct trm_error *exporting_sqlite(const struct exporting *exporting, const char *path);

#endif
