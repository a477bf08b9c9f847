/* Probes that find nothing: what they name is not there, has no code, is left out. */
#ifndef TRAMMEL_COLLECT_PROBES_TROUBLES_H
#define TRAMMEL_COLLECT_PROBES_TROUBLES_H

#include "session/profile/profile_writer.h"

/* Adds a line for each thing that is wrong with the probes of a session. */
void probes_troubles(const struct session *session, struct text *text);

#endif
