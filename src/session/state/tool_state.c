#include "session/state/tool_state.h"

#include <stdlib.h>
#include <unistd.h>

struct tool_space *tool_space_fork(const struct tool_space *tools)
{
	struct tool_space *copy = memory_allocate_zeroed(1, sizeof(*copy));

	*copy = *tools;
	memset(&copy->files, 0, sizeof(copy->files));
	memset(&copy->unmapped, 0, sizeof(copy->unmapped));
	vector_for_each (&tools->unmapped, range)
		vector_push(&copy->unmapped, *range);
	memset(&copy->routines, 0, sizeof(copy->routines));
	vector_for_each (&tools->routines, routine)
		vector_push(&copy->routines, *routine);
	memset(&copy->told, 0, sizeof(copy->told));
	vector_for_each (&tools->told, told)
		vector_push(&copy->told, *told);
	vector_for_each (&tools->files, file) {
		if (*file)
			(*file)->references++;
		vector_push(&copy->files, *file);
	}
	return copy;
}

void tool_file_release(struct tool_file *file)
{
	if (!file || --file->references)
		return;
	close(file->fd);
	free(file);
}

void tool_space_destroy(struct tool_space *tools)
{
	if (!tools)
		return;
	vector_for_each (&tools->files, file)
		tool_file_release(*file);
	vector_deinit(&tools->files);
	vector_deinit(&tools->unmapped);
	vector_deinit(&tools->told);
	vector_deinit(&tools->routines);
	free(tools);
}
