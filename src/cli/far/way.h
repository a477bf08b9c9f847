/* How other hosts are reached: --host and --agent-command. */
#ifndef TRAMMEL_CLI_FAR_WAY_H
#define TRAMMEL_CLI_FAR_WAY_H

#include "base/error.h"
#include "base/vector.h"

#include <stdbool.h>

struct trm_engine;

struct far_way {
	const char *hosts;   /* "a,b", "@FILE" with a name in each line; NULL: none */
	const char *command; /* that leads to an agent, `%h`: the host; NULL: ssh does */
};

/* Names of hosts; each is owned. One that is NULL is behind the command, and has none. */
struct far_names VECTOR(char *);

/* Writes the hosts, at least one, to `ret_names`, which far_names_deinit frees. */
struct trm_error *far_names_read(const struct far_way *way, struct far_names *ret_names);
void far_names_deinit(struct far_names *names);

/* How long an agent waits for this process if the way is cut. */
enum { FAR_LINGER_SECONDS = 60 };

/* Starts an agent on a host; only where trammel is built with them. `is_looked_at`: what
 * it measures is for who looks at it now, and not measured any more when this process is
 * gone. */
struct trm_error *far_open(const struct far_way *way, const char *name, bool is_looked_at,
			   struct trm_engine **ret_engine);

/* Returns the error where there are no agents. */
struct trm_error *far_missing(void);

/* Returns the command of a host, with its name put in; NULL: ssh is used. The caller
 * frees it. */
char *far_command(const struct far_way *way, const char *name);

#endif
