/* Patched texts, which the program takes back by itself where the tracer is dead. */
#ifndef TRAMMEL_RESIDENT_TEXTS_H
#define TRAMMEL_RESIDENT_TEXTS_H

#include "wire/control.h"

/* Tells whether a text is mapped and has its patches. */
int is_patched(const struct wire_undo *undo);

/* Takes back the texts that have patches. Each changes in one system call, at once for
 * all other threads, and what these do in trampolines leads back into the original. Where
 * that cannot be, the file is mapped; and where it is not there, pages are dropped, one
 * after the other. */
void restore_texts(const struct wire_control *control);

#endif
