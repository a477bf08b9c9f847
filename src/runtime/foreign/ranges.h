/*
 * Ranges of other tools' interfaces are regions. Those of one domain nest, and end in the
 * order in which they began; those of another domain may be open across them.
 */
#ifndef TRAMMEL_RUNTIME_FOREIGN_RANGES_H
#define TRAMMEL_RUNTIME_FOREIGN_RANGES_H

#include <stdbool.h>
#include <stdint.h>

/* False: nothing can be recorded. */
bool ranges_init(void);

/* `domain`: any number. NULL is a text, too: nothing begins then, but it ends. */
void ranges_push(uint64_t domain, const char *text);
void ranges_pop(uint64_t domain);

/* One that may end anywhere; its number, 0: there is no room. One that another thread
 * ends ends at the next call of these in the thread where it began. */
uint64_t ranges_start(const char *text);
void ranges_finish(uint64_t number);

#endif
