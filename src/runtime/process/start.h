/* The library's life: its constructor, the links of annotated modules, its end. */
#ifndef TRAMMEL_RUNTIME_PROCESS_START_H
#define TRAMMEL_RUNTIME_PROCESS_START_H

#include <stdbool.h>

struct trm_link;

/* Starts the library by the settings of the environment, once; it may be called before
 * the library's constructor runs. */
void start_library(void);

/* Starts the library, and makes the state of the program: see recording_ensure().
 * Returns false if it cannot. */
bool start_host(void);

/* Add and remove an annotated module, which finds these functions: see
 * trammel/annotate.h. */
void trm_runtime_link(struct trm_link *link);
void trm_runtime_unlink(struct trm_link *link);

#endif
