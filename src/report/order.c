#include "report/order.h"

int report_module_compare(const struct report_module *a, const struct report_module *b)
{
	int names = strcmp(a->name, b->name);

	return names ? names : strcmp(a->path, b->path);
}
