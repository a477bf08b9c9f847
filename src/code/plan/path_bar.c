#include "code/plan/path_bar.h"

const char *path_bar_text(enum path_bar bar)
{
	static const char *const texts[PATH_BAR_COUNT] = {
		[PATH_BAR_NONE] = "",
		[PATH_BAR_TWICE] = "a call may return twice",
		[PATH_BAR_THREAD] = "a system call may make a thread",
		[PATH_BAR_FLAGS] = "flags are alive where a probe changes them",
		[PATH_BAR_STACK] = "unknown how the stack moves between calls",
		[PATH_BAR_PLACE] = "a probe has no place",
		[PATH_BAR_STUB] = "a call is led to a stub",
		[PATH_BAR_TABLE] = "edges of a switch cannot be told apart",
		[PATH_BAR_EDGES] = "more edges than paths may have counters",
		[PATH_BAR_POINTS] = "it has code of probes or tools",
		[PATH_BAR_ENTRY] = "its entry leads to the original code, too",
		[PATH_BAR_CODE] = "their code cannot be moved",
	};

	return (unsigned)bar < PATH_BAR_COUNT ? texts[bar] : "unknown reason";
}
