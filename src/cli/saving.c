#include "cli/saving.h"

#include <stdlib.h>

const char *saving_database(const char *given)
{
	const char *database = given ? given : getenv("TRAMMEL_DB");

	return database && *database ? database : NULL;
}

bool saving_finish(const char *path, const char *profile)
{
	struct trm_error *error = path ? saving_add(path, profile) : NULL;

	if (error)
		trm_error_print(trm_error_prefix(
			error, "'%s' is not in the database: ", profile));
	return !error;
}

struct trm_error *saving_missing(void)
{
	return trm_error_create(TRM_ERROR_UNSUPPORTED,
				"this trammel has no databases: it was built without "
				"SQLite. Install libsqlite3-dev, and build it again");
}

#ifdef TRAMMEL_STORE

#include "store/add.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>

struct trm_error *saving_check(const char *path)
{
	scoped_store struct sql *sql = NULL;

	return store_open(path, SQL_CREATE, &sql);
}

struct trm_error *saving_add(const char *path, const char *profile)
{
	scoped_store struct sql *sql = NULL;
	const struct store_add_options options = {.again = true};
	struct store_added added = {0};

	TRM_TRY(store_open(path, SQL_CREATE, &sql));
	TRM_TRY(store_add(sql, profile, &options, &added));
	if (added.warning)
		fprintf(stderr, "trammel: warning: %s\n", added.warning);
	free(added.warning);
	return NULL;
}

#else

struct trm_error *saving_check(const char *path)
{
	(void)path;
	return saving_missing();
}

struct trm_error *saving_add(const char *path, const char *profile)
{
	(void)path;
	(void)profile;
	return saving_missing();
}

#endif
