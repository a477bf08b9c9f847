/* What probes found, as records: see docs/profile.md. */
#ifndef TRAMMEL_COLLECT_PROBES_SAVE_H
#define TRAMMEL_COLLECT_PROBES_SAVE_H

#include "session/profile/profile_writer.h"

/* Writes what the counters of a module say. */
void probes_save_points(struct profile_writer *writer, const struct module_counts *from);

/* Writes what was kept by keys, and single hits, of an image. */
void probes_save_image(struct profile_writer *writer, const struct image_run *image);

/* Writes what there is to say of probes that were not placed everywhere. */
void probes_save_begin(struct profile_writer *writer);

#endif
