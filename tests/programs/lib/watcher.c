/* Audits the work of ld.so: rtld-audit(7). */
#include "test.h"

#include <link.h>

KEPT unsigned int la_version(unsigned int version)
{
	return version;
}

KEPT unsigned int la_objopen(struct link_map *map, Lmid_t id, uintptr_t *cookie)
{
	(void)map;
	(void)id;
	(void)cookie;
	return 0;
}
