/* Attributes that the records of profiles have, whoever writes them; docs/profile.md says
 * what they mean. */
#include "record/known.h"

#include "base/array.h"

#include <string.h>

/* A number or text of single records; a number that adds up; a node of the tree. */
#define VALUE RECORD_AS_VALUE
#define SUM   (RECORD_AS_VALUE | RECORD_AGGREGATABLE)
#define NODE  0

static const struct {
	const char *name;
	enum record_type type;
	uint32_t properties;
} known[] = {
	{"arc.count", RECORD_UINT, SUM},
	{"arc.kind", RECORD_STRING, VALUE},
	{"arc.site", RECORD_ADDRESS, VALUE},
	{"block", RECORD_ADDRESS, VALUE},
	{"block.instructions", RECORD_UINT, VALUE},
	{"block.size", RECORD_UINT, VALUE},
	{"block.stayed", RECORD_INT, SUM},
	{"branch.from", RECORD_ADDRESS, VALUE},
	{"branch.mispredicted", RECORD_UINT, SUM},
	{"branch.samples", RECORD_UINT, SUM},
	{"branch.target", RECORD_STRING, VALUE},
	{"branch.to", RECORD_ADDRESS, VALUE},
	{"buildid", RECORD_STRING, VALUE},
	{"caller", RECORD_STRING, NODE},
	{"caller.offset", RECORD_ADDRESS, VALUE},
	{"caller.path", RECORD_STRING, NODE},
	{"calls", RECORD_UINT, SUM},
	{"count", RECORD_UINT, SUM},
	{"edge", RECORD_ADDRESS, VALUE},
	{"edge.from", RECORD_ADDRESS, VALUE},
	{"edge.kind", RECORD_STRING, VALUE},
	{"edge.to", RECORD_ADDRESS, VALUE},
	{"event", RECORD_STRING, VALUE},
	{"event.frequency", RECORD_UINT, VALUE},
	{"event.samples", RECORD_UINT, VALUE},
	{"event.total", RECORD_UINT, VALUE},
	{"event.unit", RECORD_STRING, VALUE},
	{"flow.fault", RECORD_ADDRESS, VALUE},
	{"frame", RECORD_STRING, RECORD_NESTED},
	{"frame.module", RECORD_STRING, NODE},
	{"function", RECORD_STRING, NODE},
	{"function.loads", RECORD_UINT, SUM},
	{"function.loads.bytes", RECORD_UINT, SUM},
	{"function.stores", RECORD_UINT, SUM},
	{"function.stores.bytes", RECORD_UINT, SUM},
	{"functions.instrumented", RECORD_UINT, VALUE},
	{"functions.known", RECORD_UINT, VALUE},
	{"graph.calls", RECORD_UINT, SUM},
	{"graph.function", RECORD_STRING, RECORD_NESTED},
	{"graph.offset", RECORD_ADDRESS, NODE},
	{"graph.path", RECORD_STRING, NODE},
	{"graph.time.exclusive.ns", RECORD_UINT, SUM},
	{"graph.time.inclusive.ns", RECORD_UINT, SUM},
	{"image", RECORD_UINT, VALUE},
	{"interval", RECORD_UINT, VALUE},
	{"interval.end.ns", RECORD_UINT, VALUE},
	{"interval.start.ns", RECORD_UINT, VALUE},
	{"module", RECORD_STRING, NODE},
	{"module.path", RECORD_STRING, NODE},
	{"offset", RECORD_ADDRESS, VALUE},
	{"part.offset", RECORD_ADDRESS, VALUE},
	{"part.reason", RECORD_STRING, VALUE},
	{"path", RECORD_UINT, VALUE},
	{"path.blocks", RECORD_STRING, NODE},
	{"path.count", RECORD_UINT, SUM},
	{"path.end", RECORD_STRING, VALUE},
	{"path.in", RECORD_ADDRESS, VALUE},
	{"path.instructions", RECORD_UINT, VALUE},
	{"path.reason", RECORD_STRING, VALUE},
	{"path.steps", RECORD_STRING, VALUE},
	{"path.total", RECORD_UINT, VALUE},
	{"process", RECORD_UINT, VALUE},
	{"process.begin.ns", RECORD_UINT, VALUE},
	{"process.parent", RECORD_UINT, VALUE},
	{"process.reason", RECORD_STRING, VALUE},
	{"process.state", RECORD_STRING, VALUE},
	{"program", RECORD_STRING, VALUE},
	{"region", RECORD_STRING, RECORD_NESTED},
	{"region.path", RECORD_STRING, NODE},
	{"sample.address", RECORD_ADDRESS, VALUE},
	{"sample.events", RECORD_UINT, SUM},
	{"sample.weight", RECORD_UINT, SUM},
	{"samples", RECORD_UINT, SUM},
	{"skip.reason", RECORD_STRING, VALUE},
	{"source.file", RECORD_STRING, NODE},
	{"source.line", RECORD_UINT, NODE},
	{"thread", RECORD_UINT, VALUE},
	{"threads", RECORD_UINT, VALUE},
	{"time.ns", RECORD_UINT, SUM},
	{"time.offset.ns", RECORD_UINT, VALUE},
	{"wait.holder", RECORD_STRING, VALUE},
	{"wait.kind", RECORD_STRING, VALUE},
	{"wait.longest.ns", RECORD_UINT, VALUE},
	{"wait.on", RECORD_STRING, VALUE},
};

struct trm_error *record_attributes_intern(struct record_model *model,
					   const struct record_attribute_row *rows,
					   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t at = 0;

		while (at < array_count(known) &&
		       strcmp(known[at].name, rows[i].name) != 0)
			at++;
		if (at == array_count(known))
			return trm_error_create(TRM_ERROR_USAGE,
						"no type is known of the attribute '%s'",
						rows[i].name);
		TRM_TRY(record_attribute_intern(model, rows[i].name, known[at].type,
						known[at].properties, rows[i].ret_id));
	}
	return NULL;
}
