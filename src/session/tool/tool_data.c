#include "session/tool/tool_data.h"

#include "code/points/point_data.h"
#include "base/page.h"
#include "control/remote.h"
#include "session/thread/borrowed_thread.h"
#include "session/thread/injection.h"
#include "session/tool/tool_calls.h"
#include "wire/control.h"

#include <sys/mman.h>
#include <sys/syscall.h>

struct trm_error *tool_data_update(const struct session *session, struct space *space)
{
	struct tool_space *tools = space->tools;
	struct point_data *data = session->options->points.data;
	uint8_t bytes[4096];
	size_t size;

	if (!tools || !tools->data || !data)
		return NULL;
	while ((size = point_data_read(data, tools->data_size, bytes, sizeof(bytes)))) {
		TRM_TRY(remote_write(space->memory_fd, tools->data + tools->data_size,
				     bytes, size));
		tools->data_size += (uint32_t)size;
	}
	return NULL;
}

void tool_data_update_all(void *context)
{
	struct session *session = context;

	vector_for_each (&session->all_processes, process)
		if ((*process)->space)
			trm_error_destroy(tool_data_update(session, (*process)->space));
}

struct trm_error *tool_data_map(struct session *session, struct thread *thread)
{
	struct space *space = thread->process->space;
	struct tool_space *tools = space->tools;
	struct wire_batch batch = {0};
	uint32_t size = POINT_DATA_MAX;
	uint64_t address;

	if (!session->options->points.data)
		return NULL;
	if (remote_has_address_limit(thread->tid))
		size = POINT_DATA_SMALL;
	size = point_data_limit(session->options->points.data, size);
	address = tool_calls_take(tools, size);
	if (!address)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"the program leaves no addresses for the data "
					"of tools");
	BATCH_ADD(&batch, SYS_mmap, address, size, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, UINT64_MAX, 0);
	TRM_TRY(space_run(session, thread, &batch));
	if (batch.calls[0].result < 0)
		return trm_error_system((int)-batch.calls[0].result,
					"no memory for the data of tools");
	tools->data = address;
	tools->data_room = size;
	space->family->arena->control->point_data = address;
	return tool_data_update(session, space);
}

void tool_data_shrink(struct session *session, struct thread *thread)
{
	struct tool_space *tools = thread->process->space->tools;
	struct wire_batch batch = {0};
	uint32_t size;

	if (!tools || !tools->data)
		return;
	size = point_data_limit(session->options->points.data, POINT_DATA_SMALL);
	size = (uint32_t)page_round_up(size);
	if (size >= tools->data_room)
		return;
	BATCH_ADD(&batch, SYS_munmap, tools->data + size, tools->data_room - size);
	if (!remote_failed(space_run(session, thread, &batch)))
		tools->data_room = size;
}
