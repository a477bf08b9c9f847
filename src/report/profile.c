#include "report/profile.h"

#include "report/tools.h"
#include "report/samples.h"

static void deinit_tree(struct report_tree *tree)
{
	vector_deinit(&tree->nodes);
	vector_deinit(&tree->counts);
	vector_deinit(&tree->by_node);
	table_deinit(&tree->by_frame);
	vector_deinit(&tree->by_label);
}

const char *report_keep(struct report_profile *profile, const char *text)
{
	const uint32_t index = string_table_intern(&profile->strings, text);

	return profile->strings.strings[index];
}

void report_profile_destroy(struct report_profile *profile)
{
	if (!profile)
		return;
	vector_for_each (&profile->runs, run)
		vector_deinit(&run->globals);
	vector_deinit(&profile->runs);
	vector_deinit(&profile->images);
	vector_deinit(&profile->modules);
	vector_deinit(&profile->functions);
	vector_deinit(&profile->counts);
	vector_deinit(&profile->probes);
	vector_deinit(&profile->probe_counts);
	vector_deinit(&profile->probe_hits);
	report_tools_deinit(profile);
	vector_deinit(&profile->blocks);
	vector_deinit(&profile->arcs);
	vector_deinit(&profile->intervals);
	vector_deinit(&profile->threads);
	vector_deinit(&profile->parts);
	vector_deinit(&profile->edges);
	vector_deinit(&profile->faults);
	vector_deinit(&profile->paths);
	vector_deinit(&profile->path_graphs);
	vector_deinit(&profile->path_bars);
	deinit_tree(&profile->regions);
	deinit_tree(&profile->graph);
	deinit_tree(&profile->stacks);
	vector_deinit(&profile->events);
	vector_deinit(&profile->samples);
	free(profile->sampled);
	vector_deinit(&profile->loads);
	vector_deinit(&profile->skips);
	vector_deinit(&profile->cold_parts);
	string_table_deinit(&profile->strings);
	free(profile->warning);
	free(profile);
}
