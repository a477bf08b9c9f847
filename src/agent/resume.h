/* Clients that come back: a socket at which the agent waits for them, and the way from a
 * new agent to the old one. */
#ifndef TRAMMEL_AGENT_RESUME_H
#define TRAMMEL_AGENT_RESUME_H

#include "base/error.h"
#include "base/text.h"

/* Makes a name for a session, by chance; the caller frees it. */
char *resume_name(void);

/* Waits for clients of this session: a listening socket in a folder that only this user
 * can use. */
struct trm_error *resume_listen(const char *session, char **ret_path, int *ret_fd);

/* Accepts a client, who must be the same user; -1: nobody is there. */
int resume_accept(int listener);

/* Passes everything on between this process's client and the agent of a session, until
 * one of them ends. `begun`: bytes that the client has sent already. */
struct trm_error *resume_relay(const char *session, const struct text *begun, int in,
			       int out);

#endif
