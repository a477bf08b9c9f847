/* Modules and their debug information, for reports that are made elsewhere. */
#ifndef TRAMMEL_AGENT_FILES_H
#define TRAMMEL_AGENT_FILES_H

#include "agent/agent.h"

/* Answers with a piece of a file, and its size. It is the one at a path if its build id
 * is the one that is asked for, or its separate debug file; no other files are given. The
 * caller frees answer->data.data. */
struct trm_error *files_serve(struct agent *agent, const Trm__Request *request,
			      Trm__Answer *answer);

#endif
