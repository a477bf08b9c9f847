/* Links of annotated modules: see trammel/annotate.h. */
#ifndef TRAMMEL_RUNTIME_STORE_LINKS_H
#define TRAMMEL_RUNTIME_STORE_LINKS_H

#include <stdbool.h>

struct trm_link;

/* Adds a link, and sets whether it is active, that is, whether something measures. */
void links_add(struct trm_link *link, bool active);

/* Removes a link. It stays active: while a process ends, other threads of it may be in
 * regions. */
void links_remove(struct trm_link *link);

/* Tells whether there are links. */
bool links_exist(void);

/* Sets in all links whether something measures. */
void links_activate(bool active);

#endif
