/*
 * The classes of the compatible interface: `channels.py` knows what they must have said.
 * Ends with 1 where one of them does not keep its word.
 */
#include "must.h"

#include <caliper/AsyncEvent.h>
#include <caliper/Caliper.h>
#include <caliper/ConfigManager.h>
#include <caliper/RegionProfile.h>
#include <caliper/cali-manager.h>
#include <caliper/cali.h>
#include <caliper/cali_datatracker.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <thread>

static void state()
{
	cali::Caliper caliper;
	cali::Attribute unit = caliper.create_attribute("unit", CALI_TYPE_STRING);
	cali::Variant text("sec");
	cali::Attribute level = caliper.create_attribute(
		"level", CALI_TYPE_INT, CALI_ATTR_NESTED, 1, &unit, &text);
	cali::Attribute none;

	must(caliper && level && !none, "objects that are there");
	must(level.name() == "level" && level.type() == CALI_TYPE_INT &&
		     level.is_nested(),
	     "what an attribute is");
	must(caliper.get_attribute("level") == level && !caliper.attribute_exists("lvel"),
	     "an attribute by its name");
	caliper.begin(level, cali::Variant(3));
	must(caliper.get(level).value().to_int() == 3, "what is open");
	caliper.end(level);
	must(caliper.get(level).empty(), "what is open no more");
}

static void channels()
{
	cali::Caliper caliper;
	cali::RuntimeConfig settings;

	settings.set("CALI_SERVICES_ENABLE", "event,async_event,aggregate,recorder");
	settings.set("CALI_RECORDER_FILENAME", "classes.json");
	settings.set("CALI_RECORDER_CONFIG",
		     "SELECT path, sum(count) AS count, async.end, "
		     "sum(count#event.duration.ns) AS waits, "
		     "sum(sum#event.duration.ns) AS ns GROUP BY path, async.end "
		     "FORMAT json");
	cali::Channel channel = caliper.create_channel("classes", settings);

	must(channel && channel.is_active(), "a channel");
	for (int i = 0; i < 3; i++) {
		cali::TimedAsyncEvent event = cali::TimedAsyncEvent::begin("queue");
		cali::TimedAsyncEvent copy;
		CALI_CXX_MARK_SCOPE("work");

		copy = event;
		copy.end();
		copy.end();
	}
	channel.deactivate();
	{
		CALI_CXX_MARK_SCOPE("unseen");
	}
	must(!channel.is_active(), "a channel that rests");
	caliper.flush_and_write(channel);
	caliper.delete_channel(channel);
	must(!channel, "a channel that is gone");
}

/* What is said of attributes, and from where values are on. */
static void traced()
{
	cali::ConfigManager manager("event-trace(output=traced.cali,time.inclusive)");
	cali::Annotation step("step", {{"meta.int", cali::Variant(42)}},
			      CALI_ATTR_ASVALUE);

	manager.start();
	step.begin(7);
	{
		CALI_CXX_MARK_SCOPE("inside");
	}
	step.end();
	{
		CALI_CXX_MARK_SCOPE("behind");
	}
	manager.flush();
}

static void managers()
{
	cali::ConfigManager manager;
	const std::vector<std::string> names = manager.available_config_specs();
	const std::string text = manager.get_documentation_for_spec("runtime-report");

	must(std::count(names.begin(), names.end(), "event-trace") == 1, "names");
	must(text.find("region.count") != std::string::npos, "options in a description");
	must(manager.get_documentation_for_spec("moon").find("Not available") !=
		     std::string::npos,
	     "a description of nothing");
	must(!cali::ConfigManager::check_config_string("runtime-reprot").empty(),
	     "a check");
	std::ofstream("managed.conf") << "# a comment\nruntime-profile(region.count)\n";
	manager.set_default_parameter_for_config("runtime-profile", "output",
						 "managed.json");
	manager.set_default_parameter("output.format", "json");
	manager.load("managed.conf");
	must(!manager.error(), "no mistake");
	manager.start();
	{
		CALI_CXX_MARK_SCOPE("managed");
	}
	manager.flush();
	manager.load("/no/such/file");
	must(manager.error(), "a mistake");
}

/* Returned by value: a temporary's copy. */
static cali::ConfigManager copied()
{
	cali::ConfigManager first(
		"runtime-profile(region.count,output=copied.json,output.format=json)");
	const cali::ConfigManager second = first;

	first.start();
	return second;
}

static void copies()
{
	cali::ConfigManager manager;

	manager = copied();
	must(!manager.error(), "no mistake in a copy");
	{
		CALI_CXX_MARK_SCOPE("copied");
	}
	manager.flush();
	cali::ConfigManager copy(manager);
	copy.add("runtime-reprot");
	must(manager.error(), "copies are one manager");
}

static bool says(const cali::ConfigManager &manager, const char *part)
{
	return manager.error_msg().find(part) != std::string::npos;
}

static const char own_configuration[] = R"json({
	"name": "visits", "description": "counts", "categories": ["output", "event"],
	"services": ["aggregate", "event", "recorder"], "alias": ["calls"],
	"config": {"CALI_CHANNEL_FLUSH_ON_EXIT": "false"},
	"defaults": {"timed": "true"},
	"options": [
		{"name": "timed", "type": "bool", "services": ["timer"],
		 "description": "with times \u00e4\ud83d\ude00"},
		{"name": "ranked", "services": ["mpicuda"]}
	]
})json";

static const char own_option[] = R"json([
	{"name": "base", "category": "metric", "services": ["timer"],
	 "query": {"local": "let twice=scale(sum#time.duration.ns,{}) select sum(twice) as Twice"}},
	{"name": "own", "category": "metric",
	 "query": {"local": "SELECT sum(sum#time.duration.ns) AS \"Own (ns)\" GROUP BY step"}},
	{"name": "longest", "category": "metric", "type": "bool", "inherit": ["own"],
	 "query": [{"level": "local", "select":
		[{"expr": "max(max#time.duration.ns)", "as": "Longest", "unit": "ns"}]}]}
])json";

/* Configurations and options of the program's own. */
static void specified()
{
	cali::ConfigManager manager, bad, odd;

	manager.add_config_spec(own_configuration);
	manager.add_option_spec(own_option);
	must(manager.available_config_specs()[0] == "visits", "one's own is listed");
	must(manager.get_documentation_for_spec("visits").find(
		     "with times \u00e4\U0001f600") != std::string::npos,
	     "one's own is described");
	manager.add("visits(output=visits.cali),calls(output=calls.cali,timed=false)");
	manager.add("runtime-profile(base=2,output=twice.json,output.format=json)");
	manager.add("runtime-profile(longest,output=longest.json,output.format=json)");
	must(!manager.error(), manager.error_msg().c_str());
	manager.start();
	{
		CALI_CXX_MARK_SCOPE("specified");
	}
	manager.flush();
	must(!bad.add("visits") && says(bad, "parameter: visits"),
	     "managers have their own");
	manager.add("visits(ranked,tmied,timed=perhaps)");
	must(says(manager, "no service 'mpicuda'") &&
		     says(manager, "did you mean 'timed'?") &&
		     says(manager, "\"perhaps\" for timed"),
	     "options that cannot be");
	manager.add_config_spec(own_configuration);
	must(says(manager,
		  "line 2, column 10: the configuration 'visits' is there already"),
	     "no second one");
	odd.add_config_spec("{\"name\": \"a\",\n \"sevices\": []}");
	odd.add_config_spec("{\"name\": \"b\",\n \"services\": \"event\"}");
	odd.add_config_spec("{\"name\": \"c\",\n \"services\": [}");
	must(says(odd, "line 2, column 13: there is no 'sevices'") &&
		     says(odd, "did you mean 'services'?") &&
		     says(odd, "column 14: 'services' has a value of another kind") &&
		     says(odd, "column 15: this is not JSON"),
	     odd.error_msg().c_str());
}

/* As programs in C do it. */
static void in_c()
{
	cali_ConfigManager manager;
	cali_SHROUD_array text;

	cali_ConfigManager_new(&manager);
	cali_ConfigManager_set_default_parameter(&manager, "output", "none");
	cali_ConfigManager_add(&manager, "runtime-report(region.count)");
	must(!cali_ConfigManager_error(&manager), "no mistake in C");
	cali_ConfigManager_start(&manager);
	cali_ConfigManager_stop(&manager);
	cali_ConfigManager_flush(&manager);
	cali_ConfigManager_add_config_spec(&manager, "{}");
	must(cali_ConfigManager_error(&manager), "a mistake in C");
	cali_ConfigManager_error_msg_bufferify(&manager, &text);
	must(std::string(text.addr.ccharp, text.elem_len).find("column 1") !=
		     std::string::npos,
	     "a message in C");
	cali_SHROUD_memory_destructor(&text.cxx);
	cali_ConfigManager_delete(&manager);
	CALI_DATATRACKER_TRACK(&text, sizeof(text));
	CALI_DATATRACKER_UNTRACK(&text);
}

/* Regions in one thread or two: 10 ms in `inner`, `outer` around it. */
static void spend()
{
	CALI_CXX_MARK_SCOPE("outer");
	CALI_CXX_MARK_SCOPE("inner");

	std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

static bool is_near(double seconds, double low)
{
	return seconds >= low && seconds < low + 1;
}

/* But for roundings. */
static bool is_sum(double sum, double a, double b)
{
	return a >= 0 && b >= 0 && std::abs(a + b - sum) < 1e-6;
}

static void times()
{
	cali::RegionProfile profile;
	cali::RegionProfile::region_profile_t all, own, phases;

	must(!profile.is_instantiated() && !profile.is_active(), "a profile to be");
	profile.start();
	must(profile.is_active() && profile.name() == "region-profile", "a profile");
	CALI_MARK_PHASE_BEGIN("both");
	spend();
	std::thread(spend).join();
	CALI_MARK_PHASE_END("both");
	profile.stop();
	spend();
	must(profile.is_instantiated() && !profile.is_active(), "a profile that rests");
	all = profile.inclusive_region_times();
	own = profile.exclusive_region_times();
	phases = profile.exclusive_region_times("phase");
	must(is_near(std::get<0>(all)["inner"], 0.02) &&
		     std::get<0>(all)["outer"] >= std::get<0>(all)["inner"],
	     "inclusive times");
	must(std::get<0>(all)["both"] >= 0.01 && std::get<0>(all).size() == 3, "a phase");
	must(is_near(std::get<0>(own)["inner"], 0.02) &&
		     is_sum(std::get<0>(all)["outer"], std::get<0>(own)["outer"],
			    std::get<0>(own)["inner"]),
	     "exclusive times");
	must(std::get<0>(phases).size() == 1 &&
		     std::get<1>(phases) < std::get<2>(phases) &&
		     std::get<2>(phases) == std::get<2>(all),
	     "times of a type");
	profile.clear();
	must(std::get<0>(profile.inclusive_region_times()).empty(), "no times");
}

static void times_in_c()
{
	cali_BufferedRegionProfile profile;

	cali_BufferedRegionProfile_new(&profile);
	cali_BufferedRegionProfile_fetch_inclusive_region_times(&profile);
	must(cali_BufferedRegionProfile_total_profiling_time(&profile) == 0, "none yet");
	cali_BufferedRegionProfile_start(&profile);
	spend();
	cali_BufferedRegionProfile_stop(&profile);
	cali_BufferedRegionProfile_fetch_inclusive_region_times(&profile);
	double outer = cali_BufferedRegionProfile_region_time(&profile, "outer");
	must(is_near(outer, 0.01), "inclusive times in C");
	cali_BufferedRegionProfile_fetch_exclusive_region_times(&profile);
	must(is_sum(outer, cali_BufferedRegionProfile_region_time(&profile, "outer"),
		    cali_BufferedRegionProfile_region_time(&profile, "inner")) &&
		     cali_BufferedRegionProfile_region_time(&profile, "none") == 0 &&
		     is_near(cali_BufferedRegionProfile_total_region_time(&profile),
			     0.01),
	     "exclusive times in C");
	cali_BufferedRegionProfile_clear(&profile);
	must(cali_BufferedRegionProfile_total_region_time(&profile) == 0, "none in C");
	cali_BufferedRegionProfile_delete(&profile);
}

/* A controller of the program's own. */
class Counts : public cali::ChannelController
{
      protected:
	void on_create(cali::Caliper *caliper, cali::Channel &made) override
	{
		created += *caliper && made && made.body() == channel_body();
	}

      public:
	Counts()
	    : ChannelController("counts", 0,
				{{"CALI_SERVICES_ENABLE", "event,aggregate"}})
	{
		config()["CALI_SERVICES_ENABLE"] += ",recorder";
		config()["CALI_RECORDER_FILENAME"] = "controlled.json";
		config()["CALI_RECORDER_CONFIG"] =
			"SELECT path, sum(count) AS count, kind GROUP BY path FORMAT "
			"json";
		metadata()["kind"] = "counted";
	}

	int created = 0;
};

static void controllers()
{
	Counts counts;
	Counts copy = counts;

	counts.start();
	{
		CALI_CXX_MARK_SCOPE("controlled");
	}
	copy.stop();
	must(counts.created == 1 && !counts.is_active(), "copies are one controller");
	must(copy.copy_config().at("CALI_RECORDER_FILENAME") == "controlled.json",
	     "settings of a copy");
	copy.flush();
}

static std::string name_of(const cali::Attribute &attribute, const cali::Variant &value)
{
	return attribute.name() + "=" + value.to_string() + " ";
}

/* Channels of a program that looks at their events itself. */
static void callbacks()
{
	cali::Caliper caliper;
	cali::Channel channel =
		caliper.create_channel("callbacks", cali::RuntimeConfig());
	cali::Attribute step =
		caliper.create_attribute("cb.step", CALI_TYPE_INT, CALI_ATTR_ASVALUE);
	std::string seen;
	auto note = [&seen](const char *what) {
		return [&seen, what](cali::Caliper *, cali::ChannelBody *,
				     const cali::Attribute &attribute,
				     const cali::Variant &value) {
			seen += what + name_of(attribute, value);
		};
	};

	channel.events().pre_begin_evt.connect(note("<"));
	channel.events().post_begin_evt.connect(note(">"));
	channel.events().pre_set_evt.connect(note("="));
	channel.events().pre_end_evt.connect(note("/"));
	channel.events().finish_evt.connect(
		[&seen](cali::Caliper *, cali::Channel *) { seen += "gone"; });
	CALI_MARK_BEGIN("watched");
	caliper.set(step, cali::Variant(3));
	CALI_MARK_END("watched");
	channel.deactivate();
	CALI_MARK_BEGIN("unwatched");
	CALI_MARK_END("unwatched");
	channel.activate();
	caliper.end(step);
	caliper.delete_channel(channel);
	CALI_MARK_BEGIN("gone");
	CALI_MARK_END("gone");
	must(seen == "<region=watched >region=watched =cb.step=3 /region=watched "
		     "/cb.step=3 gone",
	     seen.c_str());
}

/* What functions that see events annotate is recorded, and they can ask for what is
 * open. */
static void inside_callbacks()
{
	cali::Caliper caliper;
	cali::RuntimeConfig settings;

	settings.set("CALI_SERVICES_ENABLE", "event,aggregate,trace,recorder");
	settings.set("CALI_RECORDER_FILENAME", "inside.json");
	settings.set("CALI_RECORDER_CONFIG",
		     "SELECT path, sum(count) AS count GROUP BY path FORMAT json");

	cali::Channel recorded = caliper.create_channel("recorded", settings);
	cali::Channel channel = caliper.create_channel("inside", cali::RuntimeConfig());
	cali::Attribute step =
		caliper.create_attribute("cb.at", CALI_TYPE_INT, CALI_ATTR_ASVALUE);
	cali::Attribute region = caliper.get_attribute("region");
	std::string seen;
	int depth = 0;
	auto note = [&](const char *what) {
		return [&, what](cali::Caliper *given, cali::ChannelBody *,
				 const cali::Attribute &, const cali::Variant &) {
			if (depth)
				return;
			depth++;
			seen += what + given->get(region).value().to_string() + ":" +
				given->get(step).value().to_string() + " ";
			CALI_MARK_BEGIN("within");
			seen += caliper.get(region).value().to_string() + " ";
			CALI_MARK_END("within");
			depth--;
		};
	};

	channel.events().pre_begin_evt.connect(note("<"));
	channel.events().post_begin_evt.connect(note(">"));
	channel.events().pre_set_evt.connect(note("="));
	channel.events().pre_end_evt.connect(note("/"));
	CALI_MARK_BEGIN("outer");
	caliper.set(step, cali::Variant(3));
	caliper.set(step, cali::Variant(4));
	CALI_MARK_END("outer");
	must(seen == "<: within >outer: within =outer: within =outer:3 within "
		     "/outer:4 within ",
	     seen.c_str());
	must(caliper.get(region).empty(), "nothing is open behind callbacks");
	caliper.delete_channel(channel);
	caliper.end(step);
	caliper.flush_and_write(recorded);
	caliper.delete_channel(recorded);
	must(cali::Variant(true).to_string() == "true" &&
		     cali::Variant().to_string().empty(),
	     "values as text");
}

/* Memory that has a name, and addresses in it. */
static void named_memory()
{
	static double grid[4][8];
	const size_t dimensions[] = {4, 8};
	cali::Caliper caliper;
	cali::RuntimeConfig settings;
	const cali_variant_t yes = cali_make_variant_from_bool(true);
	cali_id_t at = cali_create_attribute_with_metadata(
		"cb.address", CALI_TYPE_ADDR, CALI_ATTR_ASVALUE, 1,
		&cali_class_memoryaddress_attr_id, &yes);
	auto push = [at](const void *place) {
		cali_variant_t address =
			cali_make_variant(CALI_TYPE_ADDR, &place, sizeof(place));

		cali_push_snapshot(0, 1, &at, &address);
	};

	settings.set("CALI_SERVICES_ENABLE", "event,alloc,trace,recorder");
	settings.set("CALI_ALLOC_RESOLVE_ADDRESSES", "true");
	settings.set("CALI_RECORDER_FILENAME", "named.cali");

	CALI_DATATRACKER_TRACK(&settings, 1); /* nobody wants it */
	cali::Channel channel = caliper.create_channel("named", settings);

	CALI_DATATRACKER_TRACK_DIMENSIONAL(grid, sizeof(double), dimensions, 2);
	push(&grid[0][0]);
	push(&grid[3][7]);
	push(grid + 4);
	CALI_DATATRACKER_UNTRACK(grid);
	CALI_DATATRACKER_UNTRACK(grid);
	push(&grid[3][7]);
	caliper.flush_and_write(channel);
	caliper.delete_channel(channel);
}

static void snapshots()
{
	cali::Caliper caliper;
	cali::Attribute level = caliper.create_attribute("cb.level", CALI_TYPE_INT);
	cali::Attribute given =
		caliper.create_attribute("cb.given", CALI_TYPE_DOUBLE, CALI_ATTR_ASVALUE);
	cali::FixedSizeSnapshotRecord<16> record;
	cali::FixedSizeSnapshotRecord<1> small;
	const cali::Entry entry(given, cali::Variant(1.5));

	caliper.begin(level, cali::Variant(1));
	caliper.begin(level, cali::Variant(2));
	caliper.pull_snapshot(nullptr, cali::SnapshotView(entry), record.builder());
	caliper.pull_snapshot(nullptr, cali::SnapshotView(entry), small.builder());
	caliper.end(level);
	caliper.end(level);
	must(record.view().get(level).value().to_int() == 2 &&
		     record.view().get(given).value().to_double() == 1.5,
	     "a snapshot");
	must(small.view().size() == 1 && small.builder().skipped() == 1, "a full one");
	record.builder().remove(entry);
	must(record.view().get(given).empty(), "an entry that is gone");
	record.reset();
	must(record.view().empty(), "an empty one");
}

int main()
{
	state();
	channels();
	traced();
	managers();
	copies();
	in_c();
	specified();
	times();
	times_in_c();
	controllers();
	callbacks();
	inside_callbacks();
	named_memory();
	snapshots();
	return failures != 0;
}
