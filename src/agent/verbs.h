/* What the agent does on request: see enum protocol_verb. */
#ifndef TRAMMEL_AGENT_VERBS_H
#define TRAMMEL_AGENT_VERBS_H

#include "agent/agent.h"

/* Serves a request; answers it, or sees to it that it is answered later. */
void verbs_serve(struct agent *agent, const Trm__Request *request);

#endif
