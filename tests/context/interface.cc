/*
 * More of the compatible interface: the first word says what to do. `interface.py` knows
 * what each must have said. Ends with 1 where something does not keep its word.
 */
#include "must.h"

#include <caliper/ChannelController.h>
#include <caliper/cali-manager.h>
#include <caliper/cali.h>

#include <caliper/common/Log.h>
#include <caliper/common/Node.h>
#include <caliper/common/OutputStream.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>

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

static void managers()
{
	cali::ConfigManager manager;
	cali::ConfigManager::argmap_t extra;
	const char *text = "runtime-report(output=none,region.count),size=3,"
			   "event-trace(output=none), name = 'a b' ,output=none,alone";

	must(manager.add(text, extra) && !manager.error(), "what is no configuration");
	must(extra.size() == 3 && extra["size"] == "3" && extra["name"] == "a b" &&
		     extra["alone"].empty(),
	     "is given back");
	must(manager.check(text, true).empty() && !manager.check(text).empty(),
	     "is allowed where it is to be");
	must(!manager.check("runtime-report(colour=red)", true).empty(),
	     "but not as an option");

	cali::ConfigManager::ChannelList all = manager.get_all_channels();
	cali::ConfigManager::ChannelPtr report = manager.get_channel("runtime-report");

	must(all.size() == 2 && all[1]->name() == "event-trace" && report &&
		     !manager.get_channel("size"),
	     "channels by their names");
	manager.start();
	must(report->is_active() && report->channel() == all[0]->channel() &&
		     report->channel().name() == "runtime-report",
	     "a channel of a manager");
	report->stop();
	must(!all[0]->is_active() && all[1]->is_active(), "one of them stops");

	manager.set_default_parameter("output", "parsed.json");
	cali::ConfigManager::ChannelList parsed =
		manager.parse("runtime-profile(output.format=json,region.count)");

	must(parsed.size() == 1 && manager.get_all_channels().size() == 2 &&
		     cali::Caliper().get_all_channels().size() == 3,
	     "channels that are no manager's");
	parsed[0]->start();
	manager = cali::ConfigManager();
	CALI_MARK_BEGIN("parsed");
	CALI_MARK_END("parsed");
	parsed[0]->flush();
	must(all[1]->is_active(), "channels stay as long as their controllers");
	all.clear();
	report.reset();
	must(cali::Caliper().get_all_channels().size() == 1, "and no longer");
	manager.set_default_parameter("output", std::string(5000, 'x').c_str());
	must(manager.error_msg() == "no room for the default of the option 'output'",
	     "what is too long is said");
}

static void streams()
{
	cali::OutputStream stream, file;
	std::ostringstream text;
	cali::Attribute level = cali::Caliper().create_attribute("level", CALI_TYPE_INT);
	const cali::Entry entry(level, cali::Variant(2)), same(level, cali::Variant(2));

	must(!stream && !stream.stream(), "a stream to nowhere");
	stream.set_stream(&text);
	*stream.stream() << "a";
	file.set_filename("text");
	must(file.type() == cali::OutputStream::File, "a stream to a file");
	*file.stream() << "b" << std::flush;
	file.set_mode(cali::OutputStream::Append);
	file.set_filename("text");
	*file.stream() << "c";
	must(text.str() == "a", "a stream of the program's");
	must(entry == same && entry.node() == level.node() && entry.is_immediate() &&
		     entry.attribute() == level.id() && entry.value().to_int() == 2 &&
		     !cali::Entry().node(),
	     "an entry of a value");
	cali::Log(0).stream() << "said" << std::endl;
	cali::Log(2).stream() << "not said" << std::endl;
	cali::Log(1).perror(ENOENT, "file: ") << std::endl;
}

/* Values of the process, set by one thread and then by another. */
static void process()
{
	cali::Channel channel = make_channel("process", "event,trace,recorder");
	cali::Caliper caliper;
	cali::Attribute cycle = caliper.create_attribute("cycle", CALI_TYPE_INT,
							 CALI_ATTR_ASVALUE |
								 CALI_ATTR_SCOPE_PROCESS),
			mode = caliper.create_attribute("mode", CALI_TYPE_STRING,
							CALI_ATTR_SCOPE_PROCESS),
			own = caliper.create_attribute("own", CALI_TYPE_INT,
						       CALI_ATTR_ASVALUE);

	caliper.set(cycle, cali::Variant(1));
	caliper.set(own, cali::Variant(5));
	caliper.begin(mode, cali::Variant("fast"));
	std::thread([cycle] {
		CALI_MARK_BEGIN("first");
		CALI_MARK_END("first");
		cali::Caliper().set(cycle, cali::Variant(2));
	}).join();
	CALI_MARK_BEGIN("second");
	CALI_MARK_END("second");
	caliper.end(mode);
	std::thread([] {
		CALI_MARK_BEGIN("third");
		CALI_MARK_END("third");
	}).join();
	caliper.flush_and_write(channel);
	caliper.delete_channel(channel);
}

static std::string told; /* by callbacks */
static std::mutex telling;

static void tell(const std::string &text)
{
	std::lock_guard<std::mutex> guard(telling);

	told += text + " ";
}

static void watch(cali::Channel channel)
{
	cali::Channel::Events &events = channel.events();

	events.create_attr_evt.connect([](cali::Caliper *, const cali::Attribute &made) {
		tell("made:" + made.name());
	});
	events.create_thread_evt.connect(
		[](cali::Caliper *, cali::Channel *of) { tell("thread:" + of->name()); });
	events.release_thread_evt.connect(
		[](cali::Caliper *, cali::Channel *of) { tell("end:" + of->name()); });
	events.post_init_evt.connect(
		[](cali::Caliper *, cali::Channel *of) { tell("init:" + of->name()); });
	events.pre_finish_evt.connect(
		[](cali::Caliper *, cali::Channel *of) { tell("finish:" + of->name()); });
	events.finish_evt.connect([](cali::Caliper *, cali::Channel *) {
		std::cout << told << std::endl;
		told.clear();
	});
}

/* Values whose events make no snapshot are in those that come. */
static void quiet()
{
	const int quietly = CALI_ATTR_ASVALUE | CALI_ATTR_SKIP_EVENTS;
	cali::Channel channels[] = {make_channel("quiet", "event,trace,recorder"),
				    make_channel("pushed", "trace,recorder"),
				    make_channel("summed", "event,aggregate,recorder")};
	cali::Annotation level("level", quietly),
		cells("cells", quietly | CALI_ATTR_AGGREGATABLE);
	cali::Annotation loud("loud", CALI_ATTR_ASVALUE), kind("kind", quietly);

	CALI_MARK_BEGIN("outer");
	kind.set(cali::Variant(CALI_TYPE_DOUBLE));
	level.set(1);
	cells.set(40);
	CALI_MARK_BEGIN("inner");
	cells.set(2);
	level.begin(2);
	loud.set(7);
	CALI_MARK_END("inner");
	cali_channel_push_snapshot(channels[1].id(), 0, 0, nullptr, nullptr);
	level.end();
	CALI_MARK_END("outer");
	cali_channel_push_snapshot(channels[1].id(), 0, 0, nullptr, nullptr);
	for (cali::Channel &channel : channels)
		cali::Caliper().flush_and_write(channel);
}

/* A query over a channel, for the program itself, and what there is. */
static void asked()
{
	cali::Channel channel = make_channel("asked", "event,aggregate,recorder");
	std::ostringstream report, empty;
	const char *query = "SELECT path,sum(region.count) AS count GROUP BY path WHERE "
			    "region FORMAT expand";
	bool found = false;

	CALI_MARK_BEGIN("outer");
	CALI_MARK_END("outer");
	cali::write_report_for_query(channel.id(), query, CALI_FLUSH_CLEAR_BUFFERS,
				     report);
	must(report.str() == "path=outer,count=1\n", report.str().c_str());
	cali::write_report_for_query(channel.id(), query, 0, empty);
	must(empty.str().empty(), "what was cleared is there");

	cali_set_global_int_byname("mesh", 42);
	for (const cali::Entry &entry : cali::Caliper().get_globals())
		found |= cali::Attribute(entry.attribute()).name() == "mesh" &&
			 entry.value().to_int() == 42;
	must(found, "a global is there");
	must(cali::Caliper().get_all_attributes().back().name() == "mesh",
	     "the last one");
}

/* What attributes say of attributes, and a channel by a map. */
static void about()
{
	cali::Caliper caliper;
	cali::Attribute unit = caliper.create_attribute("unit", CALI_TYPE_STRING);
	cali::Attribute place = caliper.create_attribute("place", CALI_TYPE_INT);
	std::string text("seconds");
	cali::Attribute keys[] = {unit, place};
	cali::Variant values[] = {cali::Variant(text), cali::Variant(42)};
	cali::Attribute time =
		caliper.create_attribute("elapsed", CALI_TYPE_INT, 0, 2, keys, values);
	cali_id_t channel = cali::create_channel("mapped", CALI_CHANNEL_LEAVE_INACTIVE,
						 {{"CALI_SERVICES_ENABLE", "event"}});

	text[0] = 'x';
	must(time.get(unit).to_string() == "seconds" && time.get(place).to_int() == 42,
	     "what was said");
	must(unit.get(place).empty() && unit != place, "nothing was");
	must(cali::Channel(channel).name() == "mapped" &&
		     !cali_channel_is_active(channel),
	     "a channel");
}

static void variants()
{
	using cali::Variant;
	Variant sum, least(5), most(5);
	unsigned char bytes[64];
	size_t read = 0;
	bool right = false;

	sum += Variant(2);
	sum += Variant(40);
	must(sum == Variant(42) && sum != Variant(41) && sum > Variant(41), "sums");
	must(least.min(Variant(3)).to_int() == 3 && most.max(Variant(3)).to_int() == 5,
	     "most");
	must(Variant::from_string(CALI_TYPE_INT, "-7") == Variant(-7), "an int");
	must(Variant::from_string(CALI_TYPE_DOUBLE, "0.5") == Variant(0.5), "a double");
	must(Variant::from_string(CALI_TYPE_BOOL, "true").to_bool(), "a bool");
	must(Variant::from_string(CALI_TYPE_INT, "7x").empty(), "no int");
	must(Variant::from_string(CALI_TYPE_INT, "").empty(), "nothing");
	must(Variant("text").has_unmanaged_data() && !sum.has_unmanaged_data(), "texts");
	must(Variant(7u).to_id() == 7 && Variant("x").to_id(&right) == CALI_INV_ID &&
		     !right,
	     "ids");
	sum.pack(bytes);
	must(Variant::unpack(bytes, &read, &right) == sum && right && read, "packed");
	must(Variant(CALI_TYPE_INT).to_attr_type() == CALI_TYPE_INT, "types");
}

/* What the service validator says of ends that are missing. */
static void unclosed()
{
	CALI_MARK_BEGIN("outer");
	CALI_MARK_BEGIN("inner");
	CALI_MARK_PHASE_BEGIN("phase");
	std::thread([] { CALI_MARK_BEGIN("thread"); }).join();
	CALI_MARK_PHASE_END("phase");
}

static void crossed()
{
	CALI_MARK_BEGIN("outer");
	CALI_MARK_BEGIN("inner");
	CALI_MARK_END("outer");
}

static void closed()
{
	CALI_MARK_BEGIN("outer");
	CALI_MARK_END("outer");
}

/* A controller whose channel tells of itself. */
class Told : public cali::ChannelController
{
	void on_create(cali::Caliper *, cali::Channel &channel) override
	{
		watch(channel);
	}

      public:
	Told() : ChannelController("told", 0, {{"CALI_SERVICES_ENABLE", "event"}})
	{
	}
};

/* Events that are none of regions. */
static void events()
{
	static Told controller; /* its channel ends with the program */
	const auto step = []() {
		CALI_MARK_BEGIN("step");
		CALI_MARK_END("step");
	};

	controller.start();
	cali_create_attribute("new", CALI_TYPE_INT, CALI_ATTR_DEFAULT);
	cali_create_attribute("new", CALI_TYPE_INT, CALI_ATTR_DEFAULT);
	step();
	std::thread(step).join();
	std::thread([] {}).join();
	{
		Told other;

		other.start();
		std::thread(step).join();
	}
	step();
}

/* Values that are set where none is, and in another's place; and odd texts. */
static void sets()
{
	cali::Channel traced = make_channel("sets", "event,trace,recorder"),
		      sums = make_channel("setsums", "event,aggregate,recorder");
	const cali_id_t step =
		cali_create_attribute("step", CALI_TYPE_INT, CALI_ATTR_NESTED);

	cali_set_string_byname(" =\\odd \"\"name\"=  ", " \\ a,\"b\",");
	cali_set_string_byname("line", "one:\ntwo");
	cali_set_string_byname("line", "three");
	CALI_MARK_BEGIN("outer");
	cali_set_int(step, 1);
	cali_set_int(step, 2);
	cali_end(step);
	CALI_MARK_END("outer");
	for (cali::Channel *channel : {&traced, &sums}) {
		cali_channel_flush(channel->id(), 0);
		cali_delete_channel(channel->id());
	}
}

/* Calls that read and write are in the traces of channels that look for them. */
static void files()
{
	cali::Channel traced = make_channel("files", "io,trace,recorder"),
		      other = make_channel("nofiles", "trace,recorder"),
		      sums = make_channel("sumfiles", "event,io,aggregate,recorder");
	int file = open("/proc/self/exe", O_RDONLY), ends[2];
	char bytes[16];

	must(file >= 0 && !pipe(ends), "files");
	CALI_MARK_BEGIN("outer");
	must(read(file, bytes, sizeof(bytes)) == 16, "read");
	errno = 5;
	must(write(ends[1], bytes, 3) == 3 && errno == 5, "write");
	must(pread(file, bytes, 2, 1) == 2 && read(-1, bytes, 1) < 0, "pread");
	CALI_MARK_END("outer");
	for (cali::Channel *channel : {&traced, &other, &sums}) {
		cali_channel_flush(channel->id(), 0);
		cali_delete_channel(channel->id());
	}
	for (int end : {file, ends[0], ends[1]})
		close(end);
}

/* Values of a channel alone. */
static void owned()
{
	cali::Caliper caliper;
	cali::Channel one = make_channel("owned", "event,trace,recorder"),
		      other = make_channel("notowned", "event,trace,recorder");
	cali::Attribute local = caliper.create_attribute("local", CALI_TYPE_INT),
			run = caliper.create_attribute("run", CALI_TYPE_STRING,
						       CALI_ATTR_GLOBAL);
	std::string told;
	const auto tell = [&](const char *what) {
		return [&told, what](cali::Caliper *, cali::ChannelBody *,
				     const cali::Attribute &attribute,
				     const cali::Variant &value) {
			told += what + attribute.name() + value.to_string() + " ";
		};
	};

	one.events().pre_begin_evt.connect(tell("begin:"));
	one.events().post_begin_evt.connect(tell("began:"));
	one.events().pre_set_evt.connect(tell("set:"));
	one.events().pre_end_evt.connect(tell("end:"));
	caliper.begin(one.body(), local, cali::Variant(1));
	caliper.begin(one.body(), local, cali::Variant(2));
	caliper.set(one.body(), local, cali::Variant(3));
	CALI_MARK_BEGIN("outer");
	must(caliper.get(one.body(), local).value().to_int() == 3 &&
		     cali_variant_to_int(cali_channel_get(one.id(), local.id()),
					 nullptr) == 3,
	     "a channel's value");
	must(caliper.get(local).empty() && caliper.get(other.body(), local).empty(),
	     "nobody else has it");
	CALI_MARK_END("outer");
	caliper.end(one.body(), local);
	must(caliper.get(one.body(), local).value().to_int() == 1, "the one around it");
	caliper.end(one.body(), local);
	caliper.end(one.body(), local);
	must(caliper.get(one.body(), local).empty(), "none is left");
	must(told == "begin:local1 began:local1 begin:local2 began:local2 set:local3 "
		     "begin:regionouter began:regionouter end:regionouter end:local3 "
		     "end:local1 ",
	     told.c_str());
	caliper.set(one.body(), run, cali::Variant("mine"));
	must(caliper.get_globals(one.body()).size() ==
		     caliper.get_globals(other.body()).size() + 1,
	     "globals of a channel");
	must(one.config().get("services", "enable").to_string() ==
			     "event,trace,recorder" &&
		     !one.config().get("recorder", "none").to_bool(),
	     "settings of a channel");
	for (cali::Channel *channel : {&one, &other}) {
		cali_channel_flush(channel->id(), 0);
		cali_delete_channel(channel->id());
	}
}

int main(int count, char **words)
{
	static const struct {
		const char *word;
		void (*function)();
	} rows[] = {
		{"given", given},   {"managers", managers}, {"streams", streams},
		{"events", events}, {"process", process},   {"quiet", quiet},
		{"asked", asked},   {"variants", variants}, {"about", about},
		{"closed", closed}, {"crossed", crossed},   {"unclosed", unclosed},
		{"sets", sets},     {"files", files},       {"owned", owned},
	};

	for (const auto &row : rows)
		if (count > 1 && !std::strcmp(words[1], row.word))
			row.function();
	return failures != 0;
}
