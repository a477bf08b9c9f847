/*
 * Ranges of other tools' interfaces are regions. Ranges of one domain nest, and end in
 * the order in which they began; ranges of another domain may be open across them.
 */
#ifndef TRAMMEL_RUNTIME_FOREIGN_RANGES_H
#define TRAMMEL_RUNTIME_FOREIGN_RANGES_H

#include <stdbool.h>
#include <stdint.h>

/* Prepares the recording of ranges; returns false if nothing can be recorded. */
bool ranges_init(void);

/* Begin and end a range. `domain`: any number. `text` may be NULL: nothing begins then,
 * but the range must end. */
void ranges_push(uint64_t domain, const char *text);
void ranges_pop(uint64_t domain);

/* Begins a range that may end anywhere, and returns its number; 0 if there is no room.
 * If another thread ends it, it ends at the next call of these functions in the thread
 * where it began. */
uint64_t ranges_start(const char *text);
void ranges_finish(uint64_t number);

#endif
