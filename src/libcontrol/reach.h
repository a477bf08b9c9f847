/* What the command that leads to an engine says beside the messages, and why nobody
 * answers behind it. */
#ifndef TRAMMEL_LIBCONTROL_REACH_H
#define TRAMMEL_LIBCONTROL_REACH_H

#include "libcontrol/connection.h"

/* Returns a file without a name for the command's standard error; -1: none is to be had.
 */
int reach_open_said(void);

/* Shows what the command has said since the last time. */
void reach_show_said(struct connection *connection);

/* Lets go what it has said. */
void reach_drop_said(struct connection *connection);

/* Returns why nobody answers: `error`, which is freed or returned, with what the command
 * said, its exit status (waitpid; -1: it has not ended), and what helps. */
struct trm_error *reach_explain(struct connection *connection, struct trm_error *error,
				int status);

/* An error if the program that leads to a far engine is missing here. */
struct trm_error *reach_check(const struct connection_way *way);

/* What an engine is called in errors. */
const char *reach_name(const struct connection_way *way);

#endif
