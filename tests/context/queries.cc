/* Queries by their fields, and parts of queries, over records: see objects.py. */
#include <caliper/reader/Aggregator.h>
#include <caliper/reader/CalQLParser.h>
#include <caliper/reader/FormatProcessor.h>
#include <caliper/reader/Preprocessor.h>
#include <caliper/reader/QueryProcessor.h>
#include <caliper/reader/RecordSelector.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <vector>

using cali::CalQLParser;
using cali::QuerySpec;

static const char RECORDS[] = "__rec=node,id=20,attr=10,data=276,parent=3\n"
			      "__rec=node,id=21,attr=8,data=region,parent=20\n"
			      "__rec=node,id=22,attr=10,data=65,parent=1\n"
			      "__rec=node,id=23,attr=8,data=size,parent=22\n"
			      "__rec=node,id=24,attr=21,data=outer\n"
			      "__rec=node,id=25,attr=21,data=inner,parent=24\n"
			      "__rec=ctx,ref=24,attr=23,data=5\n"
			      "__rec=ctx,ref=25,attr=23,data=7\n"
			      "__rec=ctx,ref=25,attr=23,data=30\n"
			      "__rec=ctx,ref=24\n";

static void must(bool holds, const std::string &what)
{
	if (holds)
		return;
	std::cerr << what << std::endl;
	std::exit(1);
}

static void each_record(cali::CaliperMetadataDB &nodes, cali::SnapshotProcessFn take)
{
	std::istringstream text(RECORDS);
	cali::CaliReader reader;

	reader.read(text, nodes, nullptr, take);
	must(!reader.error(), reader.error_msg());
}

static QuerySpec spec_of(const char *text)
{
	const CalQLParser parser(text);

	must(!parser.error(), parser.error_msg());
	return parser.spec();
}

static std::string run(const QuerySpec &spec)
{
	std::ostringstream text;
	cali::OutputStream stream;
	cali::CaliperMetadataDB nodes;

	stream.set_stream(&text);
	cali::QueryProcessor query(spec, stream);

	each_record(nodes, query);
	query.flush(nodes);
	return text.str();
}

/* What a parser finds, and that a query with other fields is another one. */
static void fields()
{
	QuerySpec spec = spec_of(
		"SELECT path,sum(size) AS n UNIT bytes GROUP BY path "
		"WHERE region, not(foo), size>=5 ORDER BY sum#size DESC FORMAT json");

	must(spec.select.use_path && spec.select.list.size() == 1 &&
		     spec.select.list[0] == "sum#size" &&
		     spec.aliases["sum#size"] == "n" && spec.units["sum#size"] == "bytes",
	     "SELECT");
	must(spec.aggregate.list.size() == 1 &&
		     spec.aggregate.list[0].op.name == std::string("sum") &&
		     cali::Aggregator::get_aggregation_attribute_name(
			     spec.aggregate.list[0]) == "sum#size" &&
		     spec.groupby.use_path && spec.groupby.list.empty(),
	     "GROUP BY");
	must(spec.filter.list.size() == 3 &&
		     spec.filter.list[1].op == QuerySpec::Condition::NotExist &&
		     spec.filter.list[2].op == QuerySpec::Condition::GreaterOrEqual &&
		     spec.filter.list[2].value == "5",
	     "WHERE");
	must(spec.sort.list.size() == 1 &&
		     spec.sort.list[0].order == QuerySpec::SortSpec::Descending &&
		     spec.format.formatter.name == std::string("json"),
	     "ORDER BY and FORMAT");

	const std::string all = run(spec);

	must(all.find("\"n\":37") < all.find("\"n\":5"), all);
	spec.sort.list[0].order = QuerySpec::SortSpec::Ascending;
	must(run(spec).find("\"n\":37") > run(spec).find("\"n\":5"), run(spec));
	spec.filter.list.push_back(
		QuerySpec::Condition(QuerySpec::Condition::LessThan, "size", "6"));
	must(run(spec).find("37") == std::string::npos &&
		     run(spec).find("\"n\":5") != std::string::npos,
	     run(spec));
}

/* One that a program fills by itself; and one that has more than fields. */
static void made()
{
	QuerySpec spec, rich = spec_of("select size where size=5 or size=30 limit 1 "
				       "format expand");

	for (const auto *op = cali::Aggregator::aggregation_defs(); op->name; op++)
		if (op->name == std::string("max"))
			spec.aggregate.list.push_back(
				QuerySpec::AggregationOp(*op, {"size"}));
	spec.groupby.list.push_back("region");
	for (const auto *format = cali::FormatProcessor::formatter_defs(); format->name;
	     format++)
		if (format->name == std::string("expand")) {
			spec.format.opt = QuerySpec::FormatSpec::User;
			spec.format.formatter = *format;
		}
	must(run(spec).find("outer/inner,max#size=30") != std::string::npos, run(spec));
	must(!rich.is_whole && run(rich) == "size=5\n", run(rich));
}

static void aggregated()
{
	cali::CaliperMetadataDB nodes;
	cali::Aggregator sums(spec_of("select region,sum(size),count() group by region"));
	std::map<std::string, std::string> found;

	each_record(nodes, sums);
	sums.flush(nodes, [&](cali::CaliperMetadataAccessInterface &of,
			      const cali::EntryList &record) {
		std::string region, text;

		for (const cali::Entry &entry : record) {
			if (!entry.value(of.get_attribute("region")).empty())
				region = entry.value(of.get_attribute("region"))
						 .to_string();
			for (const char *name : {"sum#size", "count"})
				if (!entry.value(of.get_attribute(name)).empty())
					text += entry.value(of.get_attribute(name))
							.to_string() +
						" ";
		}
		found[region] = text;
	});
	must(found.size() == 2 &&
		     (found["inner"] == "37 2 " || found["inner"] == "2 37 ") &&
		     (found["outer"] == "5 2 " || found["outer"] == "2 5 "),
	     "sums: " + found["inner"] + ", " + found["outer"]);
}

static void shown()
{
	std::ostringstream text;
	cali::OutputStream stream;
	cali::CaliperMetadataDB nodes;

	stream.set_stream(&text);
	/* Neither sums up nor chooses. */
	cali::FormatProcessor format(spec_of("select region,size as n where size=7 order "
					     "by n desc format expand"),
				     stream);

	each_record(nodes, format);
	format.flush(nodes);
	must(text.str() == "region=outer/inner,n=30\nregion=outer/"
			   "inner,n=7\nregion=outer,n=5\nregion=outer\n",
	     text.str());
}

static void given()
{
	cali::CaliperMetadataDB nodes;
	cali::Preprocessor let(
		spec_of("let twice=scale(size,2) if region=inner select *"));
	std::string all;

	each_record(nodes, [&](cali::CaliperMetadataAccessInterface &of,
			       const cali::EntryList &record) {
		const cali::EntryList more = let.process(of, record);

		must(more.size() >= record.size(), "what was there stays");
		for (const cali::Entry &entry : more)
			if (entry.is_immediate() &&
			    entry.attribute() == of.get_attribute("twice").id())
				all += std::to_string(entry.value().to_int()) + " ";
	});
	must(all == "14 60 ", "let: " + all);
}

static size_t chosen(const char *conditions)
{
	cali::CaliperMetadataDB nodes;
	QuerySpec spec;
	size_t count = 0;

	spec.filter.list = cali::RecordSelector::parse(conditions);
	spec.filter.selection = QuerySpec::FilterSelection::List;
	const cali::RecordSelector selector(spec);

	each_record(nodes, [&](cali::CaliperMetadataAccessInterface &of,
			       const cali::EntryList &record) {
		selector(of, record,
			 [&](cali::CaliperMetadataAccessInterface &,
			     const cali::EntryList &) { count++; });
	});
	return count;
}

static void selected()
{
	static const struct {
		const char *conditions;
		size_t count;
	} rows[] = {{"region", 4},           {"size", 3},
		    {"not(size)", 1},        {"region=outer", 4},
		    {"region=inner", 2},     {"not(region=inner)", 2},
		    {"not region=inner", 2}, {"size>6", 2},
		    {"size<7", 1},           {"size<=7", 2},
		    {"size>=7,size<30", 1},  {"nothing", 0},
		    {"not(nothing)", 4},     {"size!=7", 3}};

	for (const auto &row : rows)
		must(chosen(row.conditions) == row.count,
		     row.conditions + (": " + std::to_string(chosen(row.conditions))));
	must(cali::RecordSelector::parse("a b c")[0].op == QuerySpec::Condition::None,
	     "what makes no sense");
}

typedef std::map<std::string, std::string> Values;

/* What each group says, by attributes' names. */
static std::vector<Values> groups_of(cali::CaliperMetadataDB &nodes,
				     cali::Aggregator &groups)
{
	std::vector<Values> all;

	groups.flush(nodes, [&](cali::CaliperMetadataAccessInterface &of,
				const cali::EntryList &record) {
		all.emplace_back();
		for (const cali::Entry &entry : record)
			all.back()[of.get_attribute(entry.attribute()).name()] =
				entry.value().to_string();
	});
	return all;
}

/* Attributes of the database with values, in no file. */
static cali::EntryList record_of(cali::CaliperMetadataDB &nodes, const char *region,
				 int size)
{
	const cali::Attribute k = nodes.create_attribute("k", CALI_TYPE_STRING);
	const cali::Attribute v =
		nodes.create_attribute("v", CALI_TYPE_INT, CALI_ATTR_ASVALUE);
	cali::IdMap ids;
	cali_id_t node = 1000, attribute = v.id();
	const cali::Variant value(size);

	must(nodes.merge_node(node, k.id(), CALI_INV_ID, cali::Variant(region), ids),
	     "ids that no map has are those of the database");
	return nodes.merge_snapshot(1, &node, 1, &attribute, &value, ids);
}

/* One group of all records, and none of no records. */
static void ungrouped()
{
	cali::CaliperMetadataDB nodes;
	QuerySpec spec = spec_of("aggregate count(),sum(v)");

	spec.groupby.selection = QuerySpec::AttributeSelection::None;
	cali::Aggregator all(spec), none(spec);

	all.add(nodes, record_of(nodes, "one", -4));
	all.add(nodes, record_of(nodes, "two", 7));
	all.add(nodes, cali::EntryList());
	auto groups = groups_of(nodes, all);

	must(groups.size() == 1 && groups[0]["count"] == "3" && groups[0]["sum#v"] == "3",
	     "a group of all: " + groups[0]["count"]);
	must(groups_of(nodes, none).empty(), "no groups");
}

/* The groups of one, added to those of another, are those of the records of both. */
static void merged()
{
	cali::CaliperMetadataDB nodes;
	const QuerySpec spec =
		spec_of("aggregate min(v),max(v),sum(v),avg(v),variance(v),"
			"ratio(v,v,3),percent_total(v) group by k");
	cali::Aggregator one(spec), two(spec);

	one.add(nodes, record_of(nodes, "a", -4));
	two.add(nodes, record_of(nodes, "a", 7));
	two.add(nodes, record_of(nodes, "a", 9));
	two.add(nodes, record_of(nodes, "b", 36));
	two.flush(nodes, [&](cali::CaliperMetadataAccessInterface &of,
			     const cali::EntryList &record) { one.add(of, record); });
	for (Values &group : groups_of(nodes, one)) {
		const bool b = group["k"] == "b";

		must(group["min#v"] == (b ? "36" : "-4") &&
			     group["max#v"] == (b ? "36" : "9") &&
			     group["sum#v"] == (b ? "36" : "12") &&
			     std::stod(group["avg#v"]) == (b ? 36 : 4) &&
			     group["variance#v"] == (b ? "0.000000" : "32.666667") &&
			     group["ratio#v/v"] == "3.000000" &&
			     group["percent_total#v"] == (b ? "75.000000" : "25.000000"),
		     "sums of sums: " + group["avg#v"] + " " + group["variance#v"] + " " +
			     group["percent_total#v"]);
	}
}

static void described()
{
	cali::CaliperMetadataDB nodes, copy;
	const cali::Variant a("a"), b("b");
	int found = 0;

	nodes.add_attribute_aliases({{"x", "X"}});
	nodes.add_attribute_units({{"x", "bytes"}});
	const cali::Attribute x = nodes.create_attribute("x", CALI_TYPE_INT);
	const cali::Attribute g =
		nodes.create_attribute("g", CALI_TYPE_STRING, CALI_ATTR_GLOBAL);

	must(x.get(nodes.get_attribute("attribute.alias")).to_string() == "X" &&
		     x.get(nodes.get_attribute("attribute.unit")).to_string() == "bytes",
	     "titles and units");
	for (const cali::Variant &value : {a, a, b})
		nodes.set_global(g, value);
	nodes.set_global(x, cali::Variant(1));
	for (const cali::Entry &entry : copy.import_globals(nodes))
		for (const cali::Node *node = entry.node(); node; node = node->parent())
			found += node->data() == a ? 1 : node->data() == b ? 10 : 0;
	must(found == 11 && copy.get_globals().size() == 1, "each global once");
}

int main()
{
	ungrouped();
	merged();
	described();
	fields();
	made();
	aggregated();
	shown();
	given();
	selected();
	return 0;
}
