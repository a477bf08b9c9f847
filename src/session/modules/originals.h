/*
 * Texts are given back as they came in one system call of the program's: mremap(2) moves
 * the mapping away with its pages, which have the patches, and leaves the same mapping of
 * the module's file without them (MREMAP_DONTUNMAP). Writing the original bytes goes page
 * by page, and so does dropping pages (madvise(2)): a tracer that is killed in between
 * leaves a jump cut in half where it lies on two pages, under threads that run again.
 * Pages are dropped only where that cannot be done, and where they are locked, as the
 * mapping that stays would not be. Besides, the program's pages are clean then.
 */
#ifndef TRAMMEL_SESSION_MODULES_ORIGINALS_H
#define TRAMMEL_SESSION_MODULES_ORIGINALS_H

#include "session/state/session.h"

/* Has the original texts of modules that are `there` show again, as far as a
 * thread can do that; they are `restored` then. */
void originals_show(struct session *session, struct space *space);

#endif
