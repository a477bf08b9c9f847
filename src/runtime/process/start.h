/* The library's life: its constructor, the links of annotated modules, its end. */
#ifndef TRAMMEL_RUNTIME_PROCESS_START_H
#define TRAMMEL_RUNTIME_PROCESS_START_H

#include <stdbool.h>

struct trm_link;

/* Reads what the environment asks for, once; whoever calls the library may come before
 * its constructor. */
void start_library(void);

/* The same, and the state of the program is to be there: see recording_ensure(). */
bool start_host(void);

/* What annotated modules find: see trammel/annotate.h. */
void trm_runtime_link(struct trm_link *link);
void trm_runtime_unlink(struct trm_link *link);

#endif
