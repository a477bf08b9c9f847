/*
 * More of the compatible interface: the first word says what to do. `interface.py` knows
 * what each must have said. Ends with 1 where something does not keep its word.
 */
#include <caliper/Caliper.h>
#include <caliper/cali-manager.h>
#include <caliper/cali.h>

#include <cstring>
#include <iostream>

static int failures;

static void must(bool condition, const char *what)
{
	if (condition)
		return;
	std::cerr << what << std::endl;
	failures++;
}

static cali::Channel make_channel(const char *name, const char *services)
{
	cali::RuntimeConfig settings;
	const std::string file = std::string(name) + ".cali";

	settings.set("CALI_SERVICES_ENABLE", services);
	settings.set("CALI_RECORDER_FILENAME", file.c_str());
	return cali::Caliper().create_channel(name, settings);
}

/* Values of one snapshot: of all channels, then of one. */
static void given()
{
	cali::Caliper caliper;
	cali::Channel traced = make_channel("traced", "trace,recorder"),
		      events = make_channel("events", "event,trace,recorder"),
		      sums = make_channel("sums", "aggregate,recorder");
	cali::Attribute level = caliper.create_attribute("level", CALI_TYPE_INT,
							 CALI_ATTR_ASVALUE),
			cells = caliper.create_attribute("cells", CALI_TYPE_INT,
							 CALI_ATTR_ASVALUE |
								 CALI_ATTR_AGGREGATABLE),
			kind = caliper.create_attribute("kind", CALI_TYPE_STRING);
	const cali_id_t ids[] = {level.id(), cells.id(), kind.id()};
	const cali_variant_t values[] = {cali_make_variant_from_int(7),
					 cali_make_variant_from_int(40),
					 cali_make_variant_from_string("full")};
	const cali::Entry one(cells, cali::Variant(2));

	caliper.set(level, cali::Variant(3));
	CALI_MARK_BEGIN("outer");
	cali_push_snapshot(0, 3, ids, values);
	must(caliper.get(level).value().to_int() == 3, "a value is what it was");
	must(caliper.get(kind).empty() && caliper.get(cells).empty(),
	     "nothing else is set");
	caliper.push_snapshot(sums.body(), cali::SnapshotView(one));
	caliper.push_snapshot(traced.body(), cali::SnapshotView(one));
	CALI_MARK_END("outer");
	for (cali::Channel *channel : {&traced, &events, &sums}) {
		caliper.flush_and_write(*channel);
		caliper.delete_channel(*channel);
	}
}

int main(int count, char **words)
{
	static const struct {
		const char *word;
		void (*function)();
	} rows[] = {
		{"given", given},
	};

	for (const auto &row : rows)
		if (count > 1 && !std::strcmp(words[1], row.word))
			row.function();
	return failures != 0;
}
