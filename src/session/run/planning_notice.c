#include "session/run/planning_notice.h"

#include <unistd.h>

/* What takes less long is not worth a word. */
#define PATIENCE_NS 1000000000u

enum { MS_NS = 1000000 };

int planning_notice_wait_ms(const struct planning_notice *notice, uint64_t now_ns)
{
	uint64_t due = notice->since_ns + PATIENCE_NS;

	if (!notice->since_ns || notice->shown)
		return -1;
	return due > now_ns ? (int)((due - now_ns) / MS_NS) + 1 : 0;
}

static void show_notice(struct planning_notice *notice)
{
	notice->show(notice->last.name, notice->last.left);
	notice->shown = true;
}

void planning_notice_end(struct planning_notice *notice)
{
	if (notice->shown)
		notice->show("", 0);
	notice->shown = false;
	notice->since_ns = 0;
}

static void take_status(struct planning_notice *notice, uint64_t now_ns)
{
	notice->last.name[sizeof(notice->last.name) - 1] = '\0';
	if (!notice->last.left) {
		planning_notice_end(notice);
		return;
	}
	if (!notice->since_ns)
		notice->since_ns = now_ns;
	if (notice->shown)
		show_notice(notice);
}

void planning_notice_act(struct planning_notice *notice, uint64_t now_ns)
{
	ssize_t size;

	while (notice->fd >= 0 &&
	       (size = read(notice->fd, &notice->last, sizeof(notice->last))) >= 0) {
		if (size == sizeof(notice->last)) {
			take_status(notice, now_ns);
			continue;
		}
		planning_notice_end(notice);
		close(notice->fd);
		notice->fd = -1;
	}
	if (!planning_notice_wait_ms(notice, now_ns))
		show_notice(notice);
}
