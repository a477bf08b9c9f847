/*
 * A profile as SPOT reads it: rows of regions, and of blocks of iterations of loops, told
 * apart by spot.channel, with metadata that names the columns of both.
 */
#ifndef TRAMMEL_PUBLISH_SPOT_H
#define TRAMMEL_PUBLISH_SPOT_H

#include "base/error.h"
#include "base/text.h"
#include "publish/source.h"

/* Adds the .cali, of one process or of all. */
struct trm_error *spot_profile(const struct publish_loops *loops, struct source *source,
			       struct text *out);

#endif
