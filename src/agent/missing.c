/* `trammel agent` where protobuf-c was missing when trammel was built. */
#include "agent/command.h"

#include "base/error.h"

static int agent_main(int argc, const char **argv)
{
	(void)argc;
	(void)argv;
	trm_error_print(trm_error_create(
		TRM_ERROR_UNSUPPORTED,
		"this trammel cannot be controlled by others: it was built without "
		"protobuf-c. Install libprotobuf-c-dev and protobuf-c-compiler, and "
		"build it again"));
	return EXIT_FAILED;
}

const struct command cmd_agent = {
	.name = "agent",
	.summary = "measure programs of this host for who is elsewhere",
	.main = agent_main,
};
