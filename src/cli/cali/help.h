/* What `cali-query --help=TOPIC` prints. */
#ifndef TRAMMEL_CLI_CALI_HELP_H
#define TRAMMEL_CLI_CALI_HELP_H

/* Topics are those of the query language, "services", "configs", and the name of a
 * service or of a configuration. Of what is none it is said which ones there are. */
void cali_help(const char *topic);

#endif
