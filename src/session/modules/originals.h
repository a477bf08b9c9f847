/*
 * Restoring of original texts by one system call of the program: mremap(2) moves the
 * mapping away with its patched pages, and leaves the same mapping of the module's file
 * without them (MREMAP_DONTUNMAP). Writing the original bytes goes page by page, and so
 * does dropping pages (madvise(2)): a tracer that is killed in between leaves a jump
 * cut in half where it spans two pages, under threads that run again. Pages are dropped
 * only where mremap cannot be used, and where they are locked, as the mapping left
 * behind would not be. mremap also leaves the program's pages clean.
 */
#ifndef TRAMMEL_SESSION_MODULES_ORIGINALS_H
#define TRAMMEL_SESSION_MODULES_ORIGINALS_H

#include "session/state/session.h"

/* Restores the original texts of modules that are `there`, using a thread of the
 * space, as far as it can; sets `restored` for each restored module. */
void originals_show(struct session *session, struct space *space);

#endif
