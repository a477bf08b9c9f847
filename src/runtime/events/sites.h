/* Sites of a program's macros. */
#ifndef TRAMMEL_RUNTIME_EVENTS_SITES_H
#define TRAMMEL_RUNTIME_EVENTS_SITES_H

struct trm_site;

/* Begin and end at a site; the program's macros call them. */
void sites_enter(struct trm_site *site);

void sites_leave(struct trm_site *site);

#endif
