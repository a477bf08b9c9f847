/* Profiles out of a database, for all that reads profiles. */
#ifndef TRAMMEL_STORE_EXPORT_H
#define TRAMMEL_STORE_EXPORT_H

#include "store/choose.h"

/* Writes the runs in temp.chosen (see store_choose) as a profile to `fd`: that of one
 * profile as it was added, those of several as `trammel merge` makes one of them. Errors:
 * those of report_merge_add, and of the disk. */
struct trm_error *store_export(struct sql *sql, int fd);

#endif
