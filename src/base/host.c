#include "base/host.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char called[HOST_NAME_SIZE];

void host_name(char ret_name[HOST_NAME_SIZE])
{
	memset(ret_name, 0, HOST_NAME_SIZE);
	if (*called)
		snprintf(ret_name, HOST_NAME_SIZE, "%s", called);
	else
		gethostname(ret_name, HOST_NAME_SIZE - 1);
}

void host_call(const char *name)
{
	snprintf(called, sizeof(called), "%s", name);
}
