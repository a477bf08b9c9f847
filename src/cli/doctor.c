#include "cli/commands.h"

int cmd_doctor(int argc, const char **argv)
{
	(void)argc;
	(void)argv;
	return EXIT_DONE;
}
