/* The output of `cali-query --help=TOPIC`. */
#ifndef TRAMMEL_CLI_CALI_HELP_H
#define TRAMMEL_CLI_CALI_HELP_H

/* Prints the help on a topic: one of the query language, "services", "configs", or the
 * name of a service or configuration. For an unknown topic it lists the known ones. */
void cali_help(const char *topic);

#endif
