#include "annotate/memory.h"

#include "report/json/parts.h"
#include "report/text/amounts.h"
#include "report/text/head.h"
#include "x86/insn_class.h"

void memory_add(struct memory_sums *sums, const struct insn_class *traits, uint64_t count)
{
	sums->instructions += count;
	sums->loads += count * traits->loads;
	sums->load_bytes += count * traits->load_bytes;
	sums->stores += count * traits->stores;
	sums->store_bytes += count * traits->store_bytes;
	sums->repeated += traits->repeated ? count : 0;
}

void memory_add_block(struct memory_sums *sums, const struct annotation *annotation,
		      const struct annotation_block *block)
{
	const uint8_t *bytes = annotation->bytes + (block->address - annotation->address);
	struct insn_class traits;

	for (size_t at = 0;
	     at < block->size && insn_class_read(bytes + at, block->size - at, &traits);
	     at += traits.length)
		memory_add(sums, &traits, block->count);
}

static void add_accesses(struct text *out, uint64_t count, const char *one,
			 const char *many, uint64_t bytes)
{
	report_add_count(out, count, one, many);
	text_add(out, " (");
	report_add_count(out, bytes, "byte", "bytes");
	text_add(out, ")");
}

void memory_describe(const struct memory_sums *sums, struct text *out)
{
	add_accesses(out, sums->loads, "load", "loads", sums->load_bytes);
	text_add(out, ", ");
	add_accesses(out, sums->stores, "store", "stores", sums->store_bytes);
}

void memory_add_json(const struct memory_sums *sums, struct text *out)
{
	json_add_number(out, "loads", sums->loads);
	json_add_number(out, "load.bytes", sums->load_bytes);
	json_add_number(out, "stores", sums->stores);
	json_add_number(out, "store.bytes", sums->store_bytes);
	json_add_number(out, "repeated", sums->repeated);
}
