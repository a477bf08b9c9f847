#include "cli/browse/views.h"

#include "report/flame/compare.h"
#include "report/text/bar.h"

#include <stdlib.h>

struct browse_view *browse_view_create(const struct browser *browser,
				       const struct browse_ops *ops, size_t size)
{
	struct browse_view *view = memory_allocate_zeroed(1, size);

	view->ops = ops;
	view->profile = browser->profile;
	view->other = browser->other;
	view->unicode = browser->unicode;
	return view;
}

void browse_view_free(struct browse_view *view)
{
	text_deinit(&view->title);
	free(view);
}

const char *browse_share_colour(uint64_t part, uint64_t whole)
{
	const double share = whole ? (double)part / (double)whole : 0;

	return share >= 0.05 ? "\033[31m" : share >= 0.005 ? "\033[32m" : "";
}

void browse_add_change(uint64_t now, uint64_t before, const char *after, struct text *out)
{
	const double change = flame_change_of(now, before);
	struct text text = {0};

	flame_add_change(&text, now, before);
	text_add(out, change > 0.001    ? BROWSE_PLAIN "\033[31m"
		      : change < -0.001 ? BROWSE_PLAIN "\033[34m"
					: BROWSE_PLAIN);
	text_format(out, "%*s" BROWSE_PLAIN "%s", BROWSE_CHANGE, text.data, after);
	text_deinit(&text);
}

void browse_add_share(const struct browse_view *view, uint64_t part, uint64_t whole,
		      size_t bar, struct text *out)
{
	const double share = whole ? (double)part / (double)whole : 0;

	text_add(out, browse_share_colour(part, whole));
	text_format(out, "%6.1f %%", 100 * share);
	if (!bar)
		return;
	text_add(out, " ");
	bar_add(out, share, bar, view->unicode);
}
