/* What other libraries ask: see outside.h. */
#include "runtime/outside.h"

#include "runtime/runtime.h"

static const char *spool(void)
{
	return runtime_state->recording ? spool_path() : NULL;
}

__attribute__((visibility("default"))) const struct runtime_outside *
trm_runtime_outside(void)
{
	static const struct runtime_outside outside = {
		RUNTIME_OUTSIDE_ABI, spool,      alone_publisher,
		alone_disown,        alone_rank, alone_command,
	};

	return &outside;
}
