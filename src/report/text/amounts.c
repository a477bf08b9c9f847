#include "report/text/amounts.h"

void report_add_count(struct text *out, unsigned long long count, const char *one,
		      const char *many)
{
	text_add_grouped(out, count);
	text_format(out, " %s", count == 1 ? one : many);
}

void report_add_duration(struct text *out, uint64_t ns)
{
	static const struct {
		uint64_t from;
		double unit;
		int digits;
		const char *name;
	} scales[] = {
		{100000000000, 1e9, 1, "s"}, {1000000000, 1e9, 3, "s"},
		{100000000, 1e6, 0, "ms"},   {1000000, 1e6, 1, "ms"},
		{1000, 1e3, 0, "us"},        {0, 1, 0, "ns"},
	};
	size_t i = 0;

	while (ns < scales[i].from)
		i++;
	text_format(out, "%.*f %s", scales[i].digits, (double)ns / scales[i].unit,
		    scales[i].name);
}

void report_add_more(struct text *out, unsigned long long count, const char *one,
		     const char *many)
{
	text_add(out, "  ... ");
	text_add_grouped(out, count);
	text_format(out, " more %s (--all shows %s)\n", count == 1 ? one : many,
		    count == 1 ? "it" : "them");
}
