/* What other libraries ask: see outside.h. */
#include "runtime/process/plugin_api.h"
#include "runtime/channel/channel.h"
#include "runtime/libraries/publisher.h"
#include "runtime/process/standalone.h"
#include "runtime/service/calls/mpi_pattern.h"
#include "runtime/store/spool.h"
#include "runtime/store/state.h"

#include <stdint.h>

static void *find_object(const char *name)
{
	return (void *)(uintptr_t)publisher_find(name);
}

static const char *spool_folder(void)
{
	return runtime_state->recording ? spool_path() : NULL;
}

__attribute__((visibility("default"))) const struct runtime_outside *
trm_runtime_outside(void)
{
	static const struct runtime_outside outside = {
		RUNTIME_OUTSIDE_ABI, spool_folder,       find_object,   standalone_disown,
		standalone_rank,     standalone_command, channels_part, mpi_pattern_waits,
	};

	return &outside;
}
