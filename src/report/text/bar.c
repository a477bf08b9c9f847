#include "report/text/bar.h"

void bar_add(struct text *out, double share, size_t columns, bool unicode)
{
	static const char *const eighths[] = {"",       "\u258f", "\u258e", "\u258d",
					      "\u258c", "\u258b", "\u258a", "\u2589"};
	const size_t parts = (size_t)(share * (double)columns * 8 + 0.5);
	size_t used = parts / 8 < columns ? parts / 8 : columns;
	const size_t rest = used < columns ? parts % 8 : 0;

	for (size_t i = 0; i < used; i++)
		text_add(out, unicode ? "\u2588" : "#");
	if (unicode && rest) {
		text_add(out, eighths[rest]);
		used++;
	} else if (!unicode && rest >= 4) {
		text_add(out, "#");
		used++;
	}
	text_format(out, "%*s", (int)(columns - used), "");
}
