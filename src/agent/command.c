/* `trammel agent`: see man/trammel-agent.1.md. */
#include "agent/command.h"

#include "agent/agent.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
	"Usage: trammel agent --stdio\n\n"
	"Measures programs of this host for a client, which speaks a protocol over\n"
	"standard input and output: the library libtrammel-control, or a command with\n"
	"--host. Nobody types this: 'ssh HOST trammel agent --stdio' does.\n";

static int agent_main(int argc, const char **argv)
{
	struct agent agent = {.listener = -1};

	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(usage, stdout);
		return EXIT_DONE;
	}
	if (argc != 2 || strcmp(argv[1], "--stdio") != 0) {
		trm_error_print(trm_error_create(
			TRM_ERROR_USAGE,
			"an agent is started by who uses it: trammel agent --stdio"));
		return EXIT_USAGE;
	}
	/* Programs get none of it. */
	agent.in = dup(STDIN_FILENO);
	agent.out = dup(STDOUT_FILENO);
	struct trm_error *error = agent_serve(&agent);

	if (!error)
		return EXIT_DONE;
	trm_error_print(error);
	return EXIT_FAILED;
}

const struct command cmd_agent = {
	.name = "agent",
	.summary = "measure programs of this host for who is elsewhere",
	.usage = usage,
	.main = agent_main,
};
