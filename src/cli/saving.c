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
		trm_error_print(
			trm_error_prefix(error, "'%s' is not in the database", profile));
	return !error;
}

struct trm_error *saving_missing(void)
{
	return trm_error_create(TRM_ERROR_UNSUPPORTED,
				"this trammel has no databases: it was built without "
				"SQLite. Install libsqlite3-dev, and build it again");
}

#ifdef TRAMMEL_STORE

#include "base/vector.h"
#include "store/add.h"
#include "store/sql/address.h"
#include "store/store.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "--db=ADDRESS" or "ADDRESS". */
static size_t skip_option(const char *word)
{
	const char *value = strchr(word, '=');

	return *word == '-' && value ? (size_t)(value + 1 - word) : 0;
}

const char **saving_hide_passwords(int argc, const char **argv)
{
	static const char **kept; /* until the next call */

	free(kept);
	kept = memory_allocate_zeroed((size_t)argc + 1, sizeof(*kept));
	for (int i = 0; i < argc; i++) {
		char *word = (char *)(uintptr_t)argv[i];

		kept[i] = argv[i];
		if (!address_is_server(word + skip_option(word)))
			continue;
		kept[i] = memory_copy_string(word);
		address_hide(word + skip_option(word));
	}
	return kept;
}

/* Whether a file could be made there. */
static struct trm_error *check_folder(const char *path)
{
	scoped_free char *copy = memory_copy_string(path);

	return access(dirname(copy), W_OK | X_OK)
		       ? trm_error_system(errno, "cannot make '%s'", path)
		       : NULL;
}

/* Nothing is made yet: the run may fail. */
struct trm_error *saving_check(const char *path)
{
	scoped_store struct sql *sql = NULL;

	if (!address_is_server(path) && access(path, F_OK) && errno == ENOENT)
		return check_folder(path);
	return store_open(path, SQL_ADD, &sql);
}

struct trm_error *saving_add(const char *path, const char *profile)
{
	scoped_store struct sql *sql = NULL;
	const struct store_add_options options = {.again = true};
	struct store_added added = {0};

	TRM_TRY(store_open(path, SQL_ADD, &sql));
	TRM_TRY(store_add(sql, profile, &options, &added));
	if (added.warning)
		fprintf(stderr, "trammel: warning: %s\n", added.warning);
	free(added.warning);
	return NULL;
}

#else

const char **saving_hide_passwords(int argc, const char **argv)
{
	(void)argc;
	return argv;
}

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
