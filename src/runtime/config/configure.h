/* Channels that the environment asks for. */
#ifndef TRAMMEL_RUNTIME_CONFIG_CONFIGURE_H
#define TRAMMEL_RUNTIME_CONFIG_CONFIGURE_H

/* Makes and starts the channels of the usual settings, if they name services, and those
 * of a one-line form (NULL: none), which the variable has. */
void channels_configure(const char *variable, const char *oneline);

/* What the environment asks for; after the state is there. */
void channels_start(void);

#endif
