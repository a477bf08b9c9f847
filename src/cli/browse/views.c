#include "cli/browse/views.h"

#include "report/text/bar.h"

#include <stdlib.h>

struct browse_view *browse_view_create(const struct browser *browser,
				       const struct browse_ops *ops, size_t size)
{
	struct browse_view *view = memory_allocate_zeroed(1, size);

	view->ops = ops;
	view->profile = browser->profile;
	view->unicode = browser->unicode;
	return view;
}

void browse_view_free(struct browse_view *view)
{
	text_deinit(&view->title);
	free(view);
}

void browse_add_share(const struct browse_view *view, uint64_t part, uint64_t whole,
		      size_t bar, struct text *out)
{
	const double share = whole ? (double)part / (double)whole : 0;

	text_add(out, share >= 0.05 ? "\033[31m" : share >= 0.005 ? "\033[32m" : "");
	text_format(out, "%6.1f %%", 100 * share);
	if (!bar)
		return;
	text_add(out, " ");
	bar_add(out, share, bar, view->unicode);
}
