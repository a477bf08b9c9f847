#include "runtime/store/links.h"
#include "runtime/store/state.h"

static struct trm_link *links;

void links_add(struct trm_link *link, bool active)
{
	link->next = links;
	links = link;
	link->active = active;
}

void links_remove(struct trm_link *link)
{
	for (struct trm_link **at = &links; *at; at = &(*at)->next) {
		if (*at != link)
			continue;
		*at = link->next;
		break;
	}
}

bool links_exist(void)
{
	return links != NULL;
}

void links_activate(bool active)
{
	for (struct trm_link *link = links; link; link = link->next)
		__atomic_store_n(&link->active, active, __ATOMIC_RELEASE);
}
