#include "session/run/planning.h"

#include <string.h>
#include <unistd.h>

/* What takes less long is not worth a word. */
#define PATIENCE_NS 1000000000u

enum { MS_NS = 1000000 };

int planning_wait_ms(const struct planning *planning, uint64_t now_ns)
{
	uint64_t due = planning->since_ns + PATIENCE_NS;

	if (!planning->since_ns || planning->shown)
		return -1;
	return due > now_ns ? (int)((due - now_ns) / MS_NS) + 1 : 0;
}

static void show(struct planning *planning)
{
	planning->show(planning->last.name, planning->last.left);
	planning->shown = true;
}

void planning_end(struct planning *planning)
{
	if (planning->shown)
		planning->show("", 0);
	planning->shown = false;
	planning->since_ns = 0;
}

static void take(struct planning *planning, uint64_t now_ns)
{
	planning->last.name[sizeof(planning->last.name) - 1] = '\0';
	if (!planning->last.left) {
		planning_end(planning);
		return;
	}
	if (!planning->since_ns)
		planning->since_ns = now_ns;
	if (planning->shown)
		show(planning);
}

void planning_act(struct planning *planning, uint64_t now_ns)
{
	ssize_t size;

	while (planning->fd >= 0 && (size = read(planning->fd, &planning->last,
						 sizeof(planning->last))) >= 0) {
		if (size == sizeof(planning->last)) {
			take(planning, now_ns);
			continue;
		}
		planning_end(planning);
		close(planning->fd);
		planning->fd = -1;
	}
	if (!planning_wait_ms(planning, now_ns))
		show(planning);
}
