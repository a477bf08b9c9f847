#include "session/options/by_region.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "session/options/collector.h"
#include "session/options/options.h"

#include <stdlib.h>
#include <string.h>

/* As the library in the program has it: runtime/events/classes.h. */
enum { CLASSES_RULES = 4, CLASSES_MAX = 1 << 16 };

/* Returns the modulus of a class of iterations, "timestep%10"; 0: it is none. */
static unsigned long modulus_of(const char *word)
{
	const char *sign = strrchr(word, '%');
	char *end;
	unsigned long modulus;

	if (!sign || sign == word || sign[1] < '0' || sign[1] > '9')
		return 0;
	modulus = strtoul(sign + 1, &end, 10);
	return *end ? 0 : modulus;
}

static struct trm_error *add_class(struct session_by_region *by_region, const char *word)
{
	by_region->class_count *= modulus_of(word) + 1;
	if (++by_region->rule_count > CLASSES_RULES ||
	    by_region->class_count > CLASSES_MAX)
		return trm_error_create(TRM_ERROR_USAGE,
					"--by-region '%s': that are too many classes of "
					"iterations: at most %d loops, and %d together",
					word, CLASSES_RULES, CLASSES_MAX);
	text_format(&by_region->classes, "%s%s", by_region->classes.length ? "," : "",
		    word);
	return NULL;
}

struct trm_error *by_region_take(const char *option, const char *word, void *to)
{
	struct session_by_region *by_region = to;
	scoped_free char *copy = memory_copy_string(word ? word : "");
	char *rest = copy;

	(void)option;
	by_region->class_count += !by_region->on;
	by_region->on = true;
	while ((word = strsep(&rest, ",")))
		if (modulus_of(word))
			TRM_TRY(add_class(by_region, word));
		else if (*word)
			patterns_add(&by_region->functions, word);
	return NULL;
}

struct trm_error *by_region_check(struct session_options *options, const char *measure,
				  struct patterns *regions)
{
	const struct collector *collector = options->collector;

	if (!options->by_region.on)
		return NULL;
	if (collector->stacks || collector->waits ||
	    (!collector->slot_size && !collector->samples && !collector->values &&
	     !options->points.count))
		return trm_error_create(
			TRM_ERROR_USAGE,
			"--by-region keeps apart what is found, and -m %s "
			"finds nothing that regions have: measure "
			"functions, blocks, edges or calls",
			measure);
	if (collector->graph || collector->paths || collector->pbo)
		return trm_error_create(
			TRM_ERROR_USAGE,
			"--by-region keeps counters apart, but the %s: measure that "
			"without it",
			collector->graph
				? "tree of a call graph is one for each thread, and a "
				  "call may end in another region than it began in"
			: collector->paths
				? "sum of a path lies among the counters of its paths, "
				  "and a path may end in another region than it began in"
				: "files of -m pbo are of whole runs");
	vector_for_each (&options->by_region.functions, pattern)
		vector_push(regions, *pattern);
	vector_deinit(&options->by_region.functions);
	options->context.classes = options->by_region.classes.data;
	/* Samples have regions by themselves. */
	options->by_region.on = collector->slot_size || options->points.count;
	return NULL;
}
