/*
 * Nodes, records and controllers of the compatible interface: `objects.py` knows what
 * they must have said. Ends with 1 where one of them does not keep its word.
 */
#include "must.h"

#include <caliper/Caliper.h>
#include <caliper/cali-manager.h>
#include <caliper/cali.h>
#include <caliper/reader/CalQLParser.h>
#include <caliper/reader/FlatExclusiveRegionProfile.h>
#include <caliper/reader/NestedInclusiveRegionProfile.h>
#include <caliper/reader/QueryProcessor.h>

#include <cstring>
#include <fstream>

using cali::Attribute;
using cali::Caliper;
using cali::Channel;
using cali::ConfigManager;
using cali::Entry;
using cali::Node;
using cali::Variant;

static Channel make_channel(const char *name, const char *services,
			    const char *tells_events = "true")
{
	cali::RuntimeConfig settings;

	settings.allow_read_env(false);
	settings.set("CALI_SERVICES_ENABLE", services);
	settings.set("CALI_RECORDER_FILENAME", (std::string(name) + ".cali").c_str());
	settings.set("CALI_CHANNEL_FLUSH_ON_EXIT", "false");
	settings.set("CALI_EVENT_ENABLE_SNAPSHOT_INFO", tells_events);
	return Caliper().create_channel(name, settings);
}

static void attributes()
{
	Caliper caliper;
	Attribute unit = caliper.create_attribute("unit", CALI_TYPE_STRING);
	Variant text("sec");
	Attribute level = caliper.create_attribute("level", CALI_TYPE_INT,
						   CALI_ATTR_NESTED | CALI_ATTR_LEVEL_3,
						   1, &unit, &text);
	cali::CaliperMetadataAccessInterface &all = caliper;

	must(Attribute::make_attribute(level.node()) == level && level.level() == 3 &&
		     level.is_autocombineable() && !Attribute::make_attribute(nullptr),
	     "an attribute by its node");
	must(all.node(level.id()) == level.node() &&
		     all.node(Attribute::TYPE_ATTR_ID)->data().to_string() ==
			     "cali.attribute.type",
	     "nodes by their ids");
	must(all.find_attributes_with(unit).size() == 1 &&
		     all.find_attributes_with_prop(CALI_ATTR_GLOBAL).size() ==
			     caliper.get_globals().size(),
	     "attributes by what is said of them");
	must(cali_find_attribute("level") == level.id() && level.id() > 11,
	     "no id is that of another node");
}

static void paths()
{
	Caliper caliper;
	Attribute level = caliper.create_attribute("level", CALI_TYPE_INT,
						   CALI_ATTR_NESTED),
		  mode = caliper.create_attribute("mode", CALI_TYPE_STRING,
						  CALI_ATTR_UNALIGNED),
		  count = caliper.create_attribute("count", CALI_TYPE_INT,
						   CALI_ATTR_ASVALUE);
	cali::FixedSizeSnapshotRecord<20> record, made;
	Variant values[] = {Variant(1), Variant(2)};
	Attribute given[] = {level, count};
	unsigned char bytes[Entry::MAX_PACKED_SIZE];
	size_t read = 0;

	CALI_CXX_MARK_SCOPE("outer");
	caliper.begin(level, values[0]);
	caliper.begin(level, values[1]);
	caliper.set(mode, Variant("fast"));
	must(caliper.exchange(count, Variant(7)).empty() &&
		     caliper.exchange(count, Variant(8)).to_int() == 7,
	     "a value in another's place");
	caliper.pull_context(record.builder());
	const Entry path = caliper.get_path_node();

	must(record.view().size() == 3 && record.view()[0] == path &&
		     record.view().get(mode).value().to_string() == "fast" &&
		     record.view().get_immediate_entry(count).value().to_int() == 8,
	     "paths, then values");
	must(path.value().to_int() == 2 && path.count(level) == 2 && path.count() == 3 &&
		     path.node()->parent()->data().to_int() == 1 &&
		     path.value(cali_region_attr_id).to_string() == "outer" &&
		     path.node()->parent()->find_child_node(level.id(), values[1]) ==
			     path.node(),
	     "what is above in a path");
	must(path.node() == caliper.make_tree_entry(level, values[1],
						    path.node()->parent()) &&
		     caliper.get_blackboard_entry(level) == path &&
		     cali::get_path_entry(caliper, path) == path,
	     "a path that is there");
	caliper.make_record(2, given, values, made.builder(), path.node());
	must(made.view().size() == 2 && made.view()[1].count(level) == 3 &&
		     made.view()[0].value().to_int() == 2,
	     "a record that is made");
	must(path.pack(bytes) && Entry::unpack(caliper, bytes, &read) == path,
	     "a path that is packed");
	caliper.end(level);
	caliper.end(level);
	caliper.end(mode);
}

/* What a program measures by itself in a channel. */
static void snapshots()
{
	Caliper caliper;
	Channel channel = make_channel("seen", "event");
	Attribute ticks =
		caliper.create_attribute("ticks", CALI_TYPE_INT, CALI_ATTR_ASVALUE);
	std::string seen, tracked;
	int now = 0;

	channel.events().snapshot.connect(
		[&](Caliper *, cali::SnapshotView, cali::SnapshotBuilder &builder) {
			builder.append(ticks, Variant(++now));
		});
	channel.events().process_snapshot.connect(
		[&](Caliper *of, cali::SnapshotView given, cali::SnapshotView all) {
			for (const Entry &entry : given)
				seen += of->get_attribute(entry.attribute()).name() +
					"=" + entry.value().to_string() + ",";
			seen += all.get(of->get_attribute("region")).value().to_string() +
				":" + all.get(ticks).value().to_string() + " ";
		});
	channel.events().track_mem_evt.connect(
		[&](Caliper *, cali::ChannelBody *, const void *, const char *label,
		    size_t size, size_t count, const size_t *dimensions, size_t extra,
		    const Attribute *attributes, const Variant *values) {
			tracked += std::string(label) + std::to_string(size) +
				   std::to_string(dimensions[count - 1]);
			if (extra)
				tracked += attributes[0].name() + values[0].to_string();
		});
	channel.events().untrack_mem_evt.connect(
		[&](Caliper *, cali::ChannelBody *, const void *place) {
			tracked += place == &now ? "-" : "?";
		});
	channel.events().async_event.connect(
		[&](Caliper *, cali::ChannelBody *, cali::SnapshotView given) {
			seen += "async" + given[0].value().to_string() + " ";
		});
	CALI_MARK_BEGIN("outer");
	caliper.push_snapshot(channel.body(), Entry(ticks, Variant(40)));
	caliper.async_event(Entry(ticks, Variant(50)));
	CALI_MARK_END("outer");
	const size_t dimensions[] = {3, 5};
	const Variant value(9);

	caliper.memory_region_begin(&now, "grid", 8, 2, dimensions, 1, &ticks, &value);
	caliper.memory_region_end(&now);
	must(tracked == "grid85ticks9-", tracked.c_str());
	must(seen == "event.begin#region=outer,:1 ticks=40,outer:40 "
		     "ticks=50,outer:50 async50 event.end#region=outer,outer:4 ",
	     seen.c_str());
	caliper.delete_channel(channel);
}

/* What is added to snapshots is in the traces and sums of the channel, and in no other.
 */
static void added()
{
	Caliper caliper;
	Channel traced = make_channel("added", "event,trace,recorder"),
		sums = make_channel("addedsums", "event,aggregate,recorder"),
		other = make_channel("notadded", "event,trace,recorder");
	Attribute work = caliper.create_attribute("work", CALI_TYPE_INT,
						  CALI_ATTR_ASVALUE |
							  CALI_ATTR_AGGREGATABLE),
		  note = caliper.create_attribute("note", CALI_TYPE_STRING);
	int now[2] = {0, 0}, which = 0;

	for (Channel *channel : {&traced, &sums}) {
		int *at = &now[which++];

		channel->events().snapshot.connect([=](Caliper *of, cali::SnapshotView,
						       cali::SnapshotBuilder &builder) {
			builder.append(work, Variant(++*at));
			builder.append(
				Entry(of->make_tree_entry(note, Variant("a note"))));
		});
	}
	CALI_MARK_BEGIN("outer");
	caliper.push_snapshot(traced.body(), cali::SnapshotView());
	cali_set_int_byname("value", 7);
	CALI_MARK_END("outer");
	for (Channel *channel : {&traced, &sums, &other}) {
		caliper.flush_and_write(*channel);
		caliper.delete_channel(*channel);
	}
}

/* Records of a channel, changed and with others; all of it is written, too. */
static void edited()
{
	Caliper caliper;
	Channel channel = make_channel("edited", "event,aggregate,recorder", "false");
	Attribute mark = caliper.create_attribute("mark", CALI_TYPE_INT,
						  CALI_ATTR_ASVALUE),
		  kind = caliper.create_attribute("kind", CALI_TYPE_STRING);
	std::string told;

	channel.events().flush_evt.connect(
		[&](Caliper *of, cali::SnapshotView, cali::SnapshotFlushFn take) {
			take(*of, {Entry(mark, Variant(49))});
		});
	channel.events().postprocess_snapshot.connect([&](Caliper *of,
							  std::vector<Entry> &record) {
		record.push_back(Entry(of->make_tree_entry(kind, Variant("new"))));
	});
	CALI_MARK_BEGIN("outer");
	CALI_MARK_BEGIN("inner");
	CALI_MARK_END("inner");
	CALI_MARK_END("outer");
	caliper.flush(channel.body(), cali::SnapshotView(),
		      [&](cali::CaliperMetadataAccessInterface &,
			  const std::vector<Entry> &record) {
			      cali::SnapshotView view(record.size(), record.data());
			      const Entry region =
				      view.get(Attribute(cali_region_attr_id));

			      told += region.value().to_string() +
				      std::to_string(region.count()) +
				      view.get(mark).value().to_string() +
				      view.get(kind).value().to_string() + " ";
		      });
	must(told.find("inner2new ") != std::string::npos &&
		     told.find("outer1new ") != std::string::npos &&
		     told.substr(told.size() - 7) == "049new ",
	     told.c_str());
	caliper.flush_and_write(channel);
	caliper.delete_channel(channel);
}

/* What a file has, and what is written of it. */
static void files()
{
	cali::CaliperMetadataDB nodes, copies;
	cali::CaliReader reader;
	cali::OutputStream stream;
	size_t node_count = 0;
	std::ofstream("broken.cali") << "__rec=ctx,ref=77\n__rec=moon\n";

	stream.set_filename("copied.cali");
	cali::CaliWriter writer(stream);

	reader.read(
		"edited.cali", nodes,
		[&](cali::CaliperMetadataAccessInterface &, const Node *) {
			node_count++;
		},
		[&](cali::CaliperMetadataAccessInterface &from,
		    const cali::EntryList &record) {
			writer.write_snapshot(copies,
					      copies.merge_snapshot(from, record));
		});
	must(!reader.error() && node_count > 5 && nodes.get_attribute("region") &&
		     nodes.get_attribute("region").is_nested() &&
		     nodes.get_attribute("mark").type() == CALI_TYPE_INT,
	     reader.error_msg().c_str());
	must(!nodes.get_globals().empty() && writer.num_written() > 2, "what there is");
	writer.write_globals(copies, copies.import_globals(nodes));
	*stream.stream() << std::flush;
	cali::CaliReader wrong;

	wrong.read("broken.cali", nodes, nullptr, nullptr);
	must(wrong.error_msg() == "line 1: a record with an id that is not there",
	     wrong.error_msg().c_str());
	wrong.read("moon.cali", nodes, nullptr, nullptr);
	must(wrong.error_msg() == "cannot read 'moon.cali'", "no file");
	stream.set_filename("of-%cali.channel%-%kind%", nodes, {});
	*stream.stream() << "x" << std::flush;
}

/* A configuration whose controller is the program's own. */
class Own : public cali::ChannelController
{
	ConfigManager::Options options_;

      public:
	Own(const char *name, const cali::config_map_t &settings,
	    const ConfigManager::Options &options)
	    : ChannelController(name, 0, settings), options_(options)
	{
		options.update_channel_config(config());
		options.update_channel_metadata(metadata());
	}
	static cali::ChannelController *make(const char *name,
					     const cali::config_map_t &settings,
					     const ConfigManager::Options &options)
	{
		return new Own(name, settings, options);
	}
	static std::string check(const ConfigManager::Options &options)
	{
		return options.get("width") == "0" ? "no width" : "";
	}
	void flush() override
	{
		cali::ChannelController::flush();
		std::cout << "flushed " << name() << std::endl;
	}
	const ConfigManager::Options &options() const
	{
		return options_;
	}
};

static const char own_spec[] =
	"{ \"name\": \"own\", \"services\": [\"event\", \"aggregate\", \"recorder\"],"
	"  \"categories\": [\"metric\", \"mine\"],"
	"  \"config\": { \"CALI_RECORDER_FILENAME\": \"own.cali\","
	"                \"CALI_CHANNEL_FLUSH_ON_EXIT\": \"false\" },"
	"  \"defaults\": { \"usual\": \"true\" },"
	"  \"options\": ["
	"   { \"name\": \"usual\", \"type\": \"bool\" },"
	"   { \"name\": \"timed\", \"type\": \"bool\", \"services\": [\"timer\"],"
	"     \"inherit\": [\"under\"],"
	"     \"query\": { \"local\": \"select sum(time.duration.ns)\" } },"
	"   { \"name\": \"under\", \"type\": \"bool\" },"
	"   { \"name\": \"width\", \"type\": \"int\","
	"     \"config\": { \"WIDTH_OF\": \"w{}\" } } ] }";

static void check_options(const Own &own)
{
	const ConfigManager::Options &options = own.options();
	const std::vector<std::string> on = {"timed", "under", "shared", "usual"};
	const cali::config_map_t settings = own.copy_config();

	must(options.is_set("timed") && options.is_set("width") &&
		     options.is_set("usual") && !options.is_set("under"),
	     "options that are given");
	must(options.is_enabled("timed") && options.is_enabled("under") &&
		     options.is_enabled("width") && options.enabled_options() == on,
	     "options that are on");
	must(options.get("width") == "12" && options.get("none", "x") == "x" &&
		     options.check().empty(),
	     "values of options");
	must(settings.at("CALI_SERVICES_ENABLE") == "aggregate,event,recorder,timer" &&
		     settings.at("WIDTH_OF") == "w12" &&
		     settings.at("CALI_RECORDER_FILENAME") == "own.cali",
	     "settings of options");
	must(options.build_query("local", "select a") ==
			     "select a select sum(time.duration.ns)" &&
		     options.build_query("cross", "select a") == "select a",
	     "queries of options");
}

static void controllers()
{
	static const ConfigManager::ConfigInfo info = {own_spec, Own::make, Own::check};
	static const ConfigManager::ConfigInfo *global[] = {&info, nullptr};

	cali::add_global_config_specs(global);
	ConfigManager manager;

	manager.add_option_spec("{ \"name\": \"shared\", \"category\": \"mine\","
				"  \"type\": \"bool\" }");
	must(!manager.check("own(width=0)").empty() && manager.check("own").empty() &&
		     !manager.check("own(wdth=1)").empty(),
	     "checks of options");
	must(manager.add("own(timed,width=12),runtime-report(output=none.txt),shared"),
	     manager.error_msg().c_str());
	auto own = std::dynamic_pointer_cast<Own>(manager.get_channel("own"));

	must(own && manager.get_all_channels().size() == 2, "controllers");
	if (own)
		check_options(*own);
	manager.start();
	CALI_MARK_BEGIN("outer");
	CALI_MARK_END("outer");
	manager.flush();
	must(!manager.add("own(width=0)") && manager.error_msg() == "no width",
	     "what is wrong is told");
}

/* Queries over records, and sums by regions. */
static void queries()
{
	cali::CalQLParser right("select region,count() as n where region group by region "
				"format json"),
		wrong("select region where");
	std::ostringstream text;
	cali::OutputStream stream;
	cali::CaliperMetadataDB nodes;

	stream.set_stream(&text);
	cali::QueryProcessor query(right.spec(), stream);
	cali::NestedInclusiveRegionProfile inclusive(nodes, "count");
	cali::FlatExclusiveRegionProfile exclusive(nodes, "count", "region");

	cali::CaliReader().read("edited.cali", nodes, nullptr,
				[&](cali::CaliperMetadataAccessInterface &of,
				    const cali::EntryList &record) {
					query(of, record);
					inclusive(of, record);
					exclusive(of, record);
				});
	query.flush(nodes);
	must(!right.error() && wrong.error() && wrong.error_pos() > 0,
	     "what is wrong with a query");
	must(text.str().find("{\"path\":\"outer/inner\",\"n\":1}") != std::string::npos,
	     text.str().c_str());
	const auto paths = inclusive.result();
	const auto names = exclusive.result();

	must(std::get<0>(paths).at("outer") ==
		     std::get<0>(names).at("outer") + std::get<0>(names).at("inner"),
	     "sums by regions");
	must(std::get<0>(paths).at("outer/inner") == std::get<0>(names).at("inner") &&
		     std::get<1>(paths) == std::get<0>(paths).at("outer") &&
		     std::get<2>(names) >= std::get<1>(names),
	     "sums of all regions");
}

static void ended()
{
	Caliper caliper;
	cali::RuntimeConfig settings;

	settings.set("CALI_SERVICES_ENABLE", "event,aggregate,recorder");
	settings.set("CALI_RECORDER_FILENAME", "ended.cali");
	caliper.create_channel("ended", settings);
	CALI_MARK_BEGIN("outer");
	CALI_MARK_END("outer");
	Caliper::release();
	must(caliper.get_all_channels().empty() && std::ifstream("ended.cali").good() &&
		     Caliper::sigsafe_instance().is_signal(),
	     "channels that are written and gone");
}

int main(int count, char **words)
{
	static const struct {
		const char *word;
		void (*function)();
	} rows[] = {
		{"nodes", attributes},    {"nodes", paths},
		{"snapshots", snapshots}, {"snapshots", added},
		{"records", edited},      {"records", files},
		{"records", queries},     {"controllers", controllers},
		{"ended", ended},
	};

	for (const auto &row : rows)
		if (count > 1 && !std::strcmp(words[1], row.word))
			row.function();
	return failures != 0;
}
