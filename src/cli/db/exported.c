#include "cli/db/exported.h"

#include "base/cleanup.h"
#include "store/export.h"
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

struct trm_error *exported_open(const struct db_given *given, int *ret_fd, char *ret_path)
{
	scoped_store struct sql *sql = NULL;
	scoped_fd int fd = memfd_create("trammel-runs", MFD_CLOEXEC);

	if (fd < 0)
		return trm_error_system(errno, "memory for a profile");
	TRM_TRY(db_open(given, SQL_READ, &sql));
	TRM_TRY(sql_begin(sql, SQL_READING));
	TRM_TRY(db_choose(sql, given));
	TRM_TRY(store_export(sql, fd));
	snprintf(ret_path, EXPORTED_PATH, "/proc/self/fd/%d", fd);
	*ret_fd = take_fd(&fd);
	return NULL;
}
