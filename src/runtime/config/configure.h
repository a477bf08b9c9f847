/* Channels that the environment asks for. */
#ifndef TRAMMEL_RUNTIME_CONFIG_CONFIGURE_H
#define TRAMMEL_RUNTIME_CONFIG_CONFIGURE_H

/* Makes and starts the channels of the usual settings, if they name services, and those
 * of the text `oneline`, which `variable` of the environment has (NULL: no text). */
void channels_configure(const char *variable, const char *oneline);

/* Starts the channels that the environment asks for; called once the state exists. */
void channels_start(void);

#endif
