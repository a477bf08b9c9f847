/* Configurations, options and services of LLNL's Caliper that are not supported here. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_UNSUPPORTED_H
#define TRAMMEL_RUNTIME_CHANNEL_UNSUPPORTED_H

/* Returns the reason why `name` is not supported; NULL if the name is not known. */
const char *unsupported_why(const char *name);

#endif
