/* `trammel agent`. */
#ifndef TRAMMEL_AGENT_COMMAND_H
#define TRAMMEL_AGENT_COMMAND_H

#include "cli/commands.h"

extern const struct command cmd_agent;

#endif
