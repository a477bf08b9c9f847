/* `trammel db` where SQLite was not there when trammel was built. */
#include "cli/commands.h"
#include "cli/saving.h"

static int db_main(int argc, const char **argv)
{
	(void)argc;
	(void)argv;
	trm_error_print(saving_missing());
	return EXIT_FAILED;
}

const struct command cmd_daemon = {
	.name = "daemon",
	.summary = "sample all processes, always, into a database (not built in)",
	.main = db_main,
};

const struct command cmd_db = {
	.name = "db",
	.summary = "keep profiles in a database (not built in)",
	.main = db_main,
};
