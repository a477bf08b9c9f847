/* The contexts of calls in a profile: see docs/profile.md. */
#ifndef TRAMMEL_COLLECT_CALLGRAPH_SAVE_H
#define TRAMMEL_COLLECT_CALLGRAPH_SAVE_H

#include "session/profile/profile_writer.h"

/* Writes records of all contexts of an image. */
void callgraph_save(struct profile_writer *writer, const struct image_run *image);

#endif
