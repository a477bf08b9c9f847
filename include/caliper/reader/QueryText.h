/* From the text of a query to its fields and back, in C++11: see
 * caliper/reader/QuerySpec.h. */
#ifndef CALI_READER_QUERYTEXT_H
#define CALI_READER_QUERYTEXT_H

#include "../cali.h"

#ifdef __cplusplus

#include "QuerySpec.h"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <strings.h>
#include <utility>

namespace cali
{

/* Clauses of a query. */
enum QueryClauses {
	QUERY_LET = 1,
	QUERY_WHERE = 2,
	QUERY_SELECT = 4,
	QUERY_AGGREGATE = 8, /* with GROUP BY */
	QUERY_ORDER = 16,
	QUERY_FORMAT = 32,
	QUERY_ALL = 63
};

class QueryText
{
	typedef std::vector<std::string> Words;

	static bool is_same(const std::string &word, const char *other)
	{
		return !strcasecmp(word.c_str(), other);
	}
	static std::string quoted(const std::string &text);
	static std::string unquoted(const std::string &word);
	static Words words_of(const std::string &text);
	static Words part(const Words &words, size_t from, size_t to)
	{
		return Words(words.begin() + static_cast<long>(from),
			     words.begin() + static_cast<long>(to));
	}
	static std::vector<Words> items_of(const Words &words);
	static std::vector<std::pair<std::string, Words>> clauses_of(const Words &words);
	static bool read_call(const Words &words, std::string &name, Words &arguments);
	static QuerySpec::AggregationOp op_of(const std::string &name,
					      const Words &arguments,
					      const QuerySpec::FunctionSignature *known);
	static std::string call(const std::string &name, const Words &arguments);
	static std::string joined(const Words &words, const char *between);

	/* False: there are no fields for it. */
	static bool read_condition(Words words, QuerySpec::Condition &condition);
	static bool read_select(QuerySpec &spec, const Words &item);
	static bool read_aggregate(QuerySpec &spec, const Words &item);
	static bool read_group(QuerySpec &spec, const Words &item);
	static bool read_order(QuerySpec &spec, const Words &item);
	static bool read_let(QuerySpec &spec, const Words &item);
	static bool read_where(QuerySpec &spec, const Words &item);
	static bool read_format(QuerySpec &spec, const Words &item);

	static std::string select_of(const QuerySpec &spec);
	static std::string group_of(const QuerySpec &spec);
	static std::string aggregate_of(const QuerySpec &spec);
	static std::string order_of(const QuerySpec &spec);
	static std::string let_of(const QuerySpec &spec);
	static std::string format_of(const QuerySpec &spec);
	static std::string where_of(const QuerySpec &spec);

      public:
	static const QuerySpec::FunctionSignature *aggregations();
	static const QuerySpec::FunctionSignature *functions();
	static const QuerySpec::FunctionSignature *formats();

	/* sum#x, or count. */
	static std::string name_of(const QuerySpec::AggregationOp &op);
	static std::string text_of(const QuerySpec::Condition &condition);
	/* With commas between. */
	static std::vector<QuerySpec::Condition> conditions_of(const std::string &text);
	/* Fills the fields. */
	static void read(QuerySpec &spec);
	/* By its fields. */
	static std::string write(const QuerySpec &spec, int clauses);
	/* The whole query. */
	static std::string of(const QuerySpec &spec)
	{
		const std::string fields = write(spec, QUERY_ALL);

		return spec.text.empty() || (spec.is_whole && fields != spec.fields)
			       ? fields
			       : spec.text;
	}
};

inline const QuerySpec::FunctionSignature *QueryText::aggregations()
{
	static const char *args[] = {"attribute", "other", nullptr};
	static const QuerySpec::FunctionSignature all[] = {
		{0, "count", 0, 0, args},
		{1, "sum", 1, 1, args},
		{2, "min", 1, 1, args},
		{3, "max", 1, 1, args},
		{4, "avg", 1, 1, args},
		{5, "variance", 1, 1, args},
		{6, "stddev", 1, 1, args},
		{7, "percentile", 2, 2, args},
		{8, "median", 1, 1, args},
		{9, "histogram", 1, 2, args},
		{10, "percent_total", 1, 1, args},
		{11, "ratio", 2, 3, args},
		{12, "scale", 2, 2, args},
		{13, "scale_count", 1, 1, args},
		{14, "first", 1, 1, args},
		{15, "any", 1, 1, args},
		{16, "inclusive_count", 0, 0, args},
		{17, "inclusive_sum", 1, 1, args},
		{18, "inclusive_min", 1, 1, args},
		{19, "inclusive_max", 1, 1, args},
		{20, "inclusive_scale", 2, 2, args},
		{21, "inclusive_ratio", 2, 3, args},
		{22, "inclusive_percent_total", 1, 1, args},
		QuerySpec::FunctionSignatureTerminator};

	return all;
}

inline const QuerySpec::FunctionSignature *QueryText::functions()
{
	static const char *args[] = {"attribute", "other", "number", nullptr};
	static const QuerySpec::FunctionSignature all[] = {
		{0, "ratio", 2, 3, args},
		{1, "scale", 2, 2, args},
		{2, "truncate", 1, 2, args},
		{3, "first", 1, 32, args},
		{4, "sum", 1, 32, args},
		{5, "leaf", 0, 1, args},
		QuerySpec::FunctionSignatureTerminator};

	return all;
}

inline const QuerySpec::FunctionSignature *QueryText::formats()
{
	static const char *args[] = {nullptr};
	static const QuerySpec::FunctionSignature all[] = {
		{0, "cali", 0, 0, args},
		{1, "json", 0, 6, args},
		{2, "expand", 0, 0, args},
		{3, "format", 1, 2, args},
		{4, "table", 0, 2, args},
		{5, "tree", 0, 3, args},
		{6, "json-split", 0, 0, args},
		{7, "trace-event", 0, 5, args},
		QuerySpec::FunctionSignatureTerminator};

	return all;
}

/* Names and values as the language has them. */
inline std::string QueryText::quoted(const std::string &text)
{
	std::string made = "\"";

	for (char c : text) {
		if (c == '"' || c == '\\')
			made += '\\';
		made += c;
	}
	return made + "\"";
}

inline std::string QueryText::unquoted(const std::string &word)
{
	std::string made;

	if (word.empty() || (word[0] != '"' && word[0] != '\''))
		return word;
	for (size_t i = 1; i + 1 < word.size(); i++) {
		i += word[i] == '\\' && i + 2 < word.size();
		made += word[i];
	}
	return made;
}

/* Words, texts in quotes, and single signs. */
inline QueryText::Words QueryText::words_of(const std::string &text)
{
	static const char signs[] = "(),=<>!";
	Words words;

	for (size_t i = 0, end; i < text.size(); i = end) {
		const char c = text[i];

		end = i + 1;
		if (std::isspace(static_cast<unsigned char>(c)))
			continue;
		if (c == '"' || c == '\'') {
			while (end < text.size() && text[end] != c)
				end += text[end] == '\\' ? 2 : 1;
			end = end < text.size() ? end + 1 : text.size();
		} else if (!std::strchr(signs, c)) {
			while (end < text.size() && !std::strchr(signs, text[end]) &&
			       !std::isspace(static_cast<unsigned char>(text[end])) &&
			       text[end] != '"')
				end++;
		}
		words.push_back(text.substr(i, end - i));
	}
	return words;
}

/* With commas between, but for those in parentheses. */
inline std::vector<QueryText::Words> QueryText::items_of(const Words &words)
{
	std::vector<Words> items(1);
	int depth = 0;

	for (const std::string &word : words) {
		depth += (word == "(") - (word == ")");
		if (word == "," && !depth)
			items.push_back(Words());
		else
			items.back().push_back(word);
	}
	return items;
}

/* The first word of each in small letters, and what follows. */
inline std::vector<std::pair<std::string, QueryText::Words>>
QueryText::clauses_of(const Words &words)
{
	static const char *const names[] = {"select", "aggregate", "group",
					    "let",    "where",     "having",
					    "order",  "limit",     "format"};
	std::vector<std::pair<std::string, Words>> clauses;
	int depth = 0;

	for (size_t i = 0; i < words.size(); i++) {
		const char *begun = nullptr;

		depth += (words[i] == "(") - (words[i] == ")");
		for (const char *name : names)
			if (!depth && is_same(words[i], name))
				begun = name;
		if (begun)
			clauses.push_back(std::make_pair(begun, Words()));
		else if (!clauses.empty() &&
			 !(clauses.back().second.empty() && is_same(words[i], "by")))
			clauses.back().second.push_back(words[i]);
	}
	return clauses;
}

/* NAME(A,B). */
inline bool QueryText::read_call(const Words &words, std::string &name, Words &arguments)
{
	if (words.size() < 3 || words[1] != "(" || words.back() != ")")
		return false;
	name = words[0];
	arguments.clear();
	for (const Words &item : items_of(part(words, 2, words.size() - 1)))
		if (!item.empty())
			arguments.push_back(unquoted(joined(item, "")));
	return true;
}

inline QuerySpec::AggregationOp
QueryText::op_of(const std::string &name, const Words &arguments,
		 const QuerySpec::FunctionSignature *known)
{
	for (; known->name; known++)
		if (is_same(name, known->name))
			return QuerySpec::AggregationOp(*known, arguments);
	return QuerySpec::AggregationOp();
}

inline std::string QueryText::joined(const Words &words, const char *between)
{
	std::string made;

	for (const std::string &word : words)
		made += (made.empty() ? "" : between) + word;
	return made;
}

inline std::string QueryText::call(const std::string &name, const Words &arguments)
{
	Words all;

	for (const std::string &argument : arguments) {
		char *end;

		(void)std::strtod(argument.c_str(), &end);
		all.push_back(*end || argument.empty() ? quoted(argument) : argument);
	}
	return name + "(" + joined(all, ",") + ")";
}

inline std::string QueryText::name_of(const QuerySpec::AggregationOp &op)
{
	static const struct {
		const char *name, *prefix;
	} others[] = {{"inclusive_sum", "inclusive"},
		      {"inclusive_min", "imin"},
		      {"inclusive_max", "imax"},
		      {"inclusive_scale", "iscale"},
		      {"inclusive_ratio", "iratio"},
		      {"inclusive_count", "icount"},
		      {"inclusive_percent_total", "ipercent_total"},
		      {"scale_count", "scount"}};
	std::string name = op.op.name ? op.op.name : "";

	for (const auto &other : others)
		if (name == other.name)
			name = other.prefix;
	if (op.args.empty() || name == "count" || name == "icount" || name == "scount")
		return name;
	if (name == "percentile")
		name += "." + op.args.back();
	return name + "#" + op.args[0] +
	       (name == "ratio" || name == "iratio" ? "/" + op.args.at(1) : "");
}

/* What is said of it behind its name goes to `aliases` and `units`. */
inline bool QueryText::read_select(QuerySpec &spec, const Words &item)
{
	size_t end = 0;
	std::string name, function;
	Words arguments;

	while (end < item.size() && !is_same(item[end], "as") &&
	       !is_same(item[end], "unit"))
		end++;
	if (read_call(part(item, 0, end), function, arguments)) {
		if (!read_aggregate(spec, part(item, 0, end)))
			return false;
		name = name_of(spec.aggregate.list.back());
	} else if (end == 1) {
		name = unquoted(item[0]);
	} else {
		return false;
	}
	if (name == "*") {
		spec.select.selection = QuerySpec::AttributeSelection::All;
		return end == item.size();
	}
	if (spec.select.selection == QuerySpec::AttributeSelection::Default)
		spec.select.selection = QuerySpec::AttributeSelection::List;
	if (name == "path")
		spec.select.use_path = true;
	else
		spec.select.list.push_back(name);
	for (; end + 1 < item.size(); end += 2)
		(is_same(item[end], "as") ? spec.aliases : spec.units)[name] =
			unquoted(item[end + 1]);
	return end == item.size();
}

/* NAME(A,B), or NAME. */
inline bool QueryText::read_aggregate(QuerySpec &spec, const Words &item)
{
	std::string name = item[0];
	Words arguments;
	const bool right = read_call(item, name, arguments) || item.size() == 1;
	const QuerySpec::AggregationOp op = op_of(name, arguments, aggregations());

	if (!right || !op.op.name || static_cast<int>(arguments.size()) < op.op.min_args)
		return false;
	spec.aggregate.selection = QuerySpec::AggregationSelection::List;
	spec.aggregate.list.push_back(op);
	return true;
}

inline bool QueryText::read_group(QuerySpec &spec, const Words &item)
{
	const std::string name = unquoted(item[0]);

	spec.groupby.selection = QuerySpec::AttributeSelection::List;
	if (name == "path" || name == "prop:nested")
		spec.groupby.use_path = true;
	else
		spec.groupby.list.push_back(name);
	return item.size() == 1;
}

inline bool QueryText::read_order(QuerySpec &spec, const Words &item)
{
	const bool falls = is_same(item.back(), "desc");
	const bool said = falls || is_same(item.back(), "asc");

	spec.sort.selection = QuerySpec::SortSelection::List;
	spec.sort.list.push_back(QuerySpec::SortSpec(
		unquoted(joined(part(item, 0, item.size() - said), "")),
		falls ? QuerySpec::SortSpec::Descending
		      : QuerySpec::SortSpec::Ascending));
	return item.size() == 1 + static_cast<size_t>(said);
}

/* NAME=FUNCTION(...) [IF CONDITION]. */
inline bool QueryText::read_let(QuerySpec &spec, const Words &item)
{
	QuerySpec::PreprocessSpec let;
	std::string function;
	Words arguments;
	size_t end = 2;

	while (end < item.size() && !is_same(item[end], "if"))
		end++;
	if (item.size() < 3 || item[1] != "=" ||
	    !read_call(part(item, 2, end), function, arguments))
		return false;
	let.target = unquoted(item[0]);
	let.op = op_of(function, arguments, functions());
	if (!let.op.op.name ||
	    (end < item.size() &&
	     !read_condition(part(item, end + 1, item.size()), let.cond)))
		return false;
	spec.preprocess_ops.push_back(let);
	return true;
}

inline bool QueryText::read_where(QuerySpec &spec, const Words &item)
{
	QuerySpec::Condition condition;

	if (!read_condition(item, condition))
		return false;
	spec.filter.selection = QuerySpec::FilterSelection::List;
	spec.filter.list.push_back(condition);
	return true;
}

inline bool QueryText::read_format(QuerySpec &spec, const Words &item)
{
	std::string name = item[0];
	Words arguments;

	read_call(item, name, arguments);
	for (const QuerySpec::FunctionSignature *known = formats(); known->name; known++)
		if (is_same(name, known->name)) {
			spec.format.opt = QuerySpec::FormatSpec::User;
			spec.format.formatter = *known;
		}
	for (const std::string &argument : arguments) {
		const size_t equals = argument.find('=');

		spec.format.kwargs[argument.substr(0, equals)] =
			equals == std::string::npos
				? ""
				: unquoted(argument.substr(equals + 1));
	}
	return spec.format.opt == QuerySpec::FormatSpec::User;
}

/* A, NOT(A), A=B, NOT A=B, and A with one of < > <= >= !=. */
inline bool QueryText::read_condition(Words words, QuerySpec::Condition &condition)
{
	typedef QuerySpec::Condition Condition;
	static const struct {
		const char *sign;
		Condition::Op op, opposite;
	} signs[] = {{"=", Condition::Equal, Condition::NotEqual},
		     {"==", Condition::Equal, Condition::NotEqual},
		     {"!=", Condition::NotEqual, Condition::Equal},
		     {"<", Condition::LessThan, Condition::GreaterOrEqual},
		     {">", Condition::GreaterThan, Condition::LessOrEqual},
		     {"<=", Condition::LessOrEqual, Condition::GreaterThan},
		     {">=", Condition::GreaterOrEqual, Condition::LessThan}};
	bool opposite = false;
	std::string sign;

	if (!words.empty() && is_same(words[0], "not")) {
		opposite = true;
		words.erase(words.begin());
		if (words.size() > 2 && words[0] == "(" && words.back() == ")")
			words = part(words, 1, words.size() - 1);
	}
	for (size_t i = 1; i < words.size() && i < 3 && std::strchr("=<>!", words[i][0]);
	     i++)
		sign += words[i];
	if (words.empty() || words.size() > 2 + sign.size() ||
	    (!sign.empty() && words.size() != 2 + sign.size()))
		return false;
	condition.attr_name = unquoted(words[0]);
	condition.value = sign.empty() ? "" : unquoted(words.back());
	condition.op = opposite ? Condition::NotExist : Condition::Exist;
	if (sign.empty())
		return words.size() == 1;
	condition.op = Condition::None;
	for (const auto &known : signs)
		if (sign == known.sign)
			condition.op = opposite ? known.opposite : known.op;
	return condition.op != Condition::None;
}

inline std::string QueryText::text_of(const QuerySpec::Condition &condition)
{
	static const char *const signs[] = {"", "", "", "=", "=", "<", ">", "<=", ">="};
	const std::string name = quoted(condition.attr_name);

	if (condition.op <= QuerySpec::Condition::Exist)
		return name;
	if (condition.op == QuerySpec::Condition::NotExist)
		return "not(" + name + ")";
	return (condition.op == QuerySpec::Condition::NotEqual ? "not " : "") + name +
	       signs[condition.op] + quoted(condition.value);
}

inline std::vector<QuerySpec::Condition> QueryText::conditions_of(const std::string &text)
{
	std::vector<QuerySpec::Condition> all;

	for (const Words &item : items_of(words_of(text))) {
		QuerySpec::Condition condition;

		if (!read_condition(item, condition))
			condition.op = QuerySpec::Condition::None;
		if (!item.empty())
			all.push_back(condition);
	}
	return all;
}

inline void QueryText::read(QuerySpec &spec)
{
	static const struct {
		const char *name;
		bool (*read)(QuerySpec &spec, const Words &item);
	} readers[] = {{"select", read_select}, {"aggregate", read_aggregate},
		       {"group", read_group},   {"let", read_let},
		       {"where", read_where},   {"order", read_order},
		       {"format", read_format}};

	spec.aggregate.selection = QuerySpec::AggregationSelection::None;
	spec.filter.selection = QuerySpec::FilterSelection::None;
	spec.sort.selection = QuerySpec::SortSelection::None;
	for (const auto &clause : clauses_of(words_of(spec.text))) {
		bool (*reader)(QuerySpec &, const Words &) = nullptr;

		for (const auto &known : readers)
			if (clause.first == known.name)
				reader = known.read;
		for (const Words &item : items_of(clause.second))
			spec.is_whole &= reader && !item.empty() && reader(spec, item);
	}
	spec.fields = write(spec, QUERY_ALL);
}

inline std::string QueryText::select_of(const QuerySpec &spec)
{
	Words all;

	if (spec.select.selection == QuerySpec::AttributeSelection::All)
		all.push_back("*");
	if (spec.select.use_path)
		all.push_back("path");
	for (const std::string &name : spec.select.list) {
		auto alias = spec.aliases.find(name), unit = spec.units.find(name);

		all.push_back(quoted(name));
		if (alias != spec.aliases.end())
			all.back() += " as " + quoted(alias->second);
		if (unit != spec.units.end())
			all.back() += " unit " + quoted(unit->second);
	}
	return joined(all, ",");
}

inline std::string QueryText::group_of(const QuerySpec &spec)
{
	Words all;

	if (spec.groupby.selection == QuerySpec::AttributeSelection::None)
		return "()";
	if (spec.groupby.use_path)
		all.push_back("path");
	for (const std::string &name : spec.groupby.list)
		all.push_back(quoted(name));
	return joined(all, ",");
}

inline std::string QueryText::aggregate_of(const QuerySpec &spec)
{
	Words all;

	for (const QuerySpec::AggregationOp &op : spec.aggregate.list)
		if (op.op.name)
			all.push_back(call(op.op.name, op.args));
	/* What a program did not choose is a count. */
	if (all.empty() &&
	    (spec.aggregate.selection == QuerySpec::AggregationSelection::Default ||
	     spec.aggregate.selection == QuerySpec::AggregationSelection::All))
		all.push_back("count()");
	return joined(all, ",");
}

inline std::string QueryText::order_of(const QuerySpec &spec)
{
	Words all;

	for (const QuerySpec::SortSpec &sort : spec.sort.list)
		all.push_back(
			quoted(sort.attribute) +
			(sort.order == QuerySpec::SortSpec::Descending ? " desc" : ""));
	return joined(all, ",");
}

inline std::string QueryText::let_of(const QuerySpec &spec)
{
	Words all;

	for (const QuerySpec::PreprocessSpec &let : spec.preprocess_ops) {
		if (!let.op.op.name)
			continue;
		all.push_back(quoted(let.target) + "=" +
			      call(let.op.op.name, let.op.args));
		if (let.cond.op != QuerySpec::Condition::None)
			all.back() += " if " + text_of(let.cond);
	}
	return joined(all, ",");
}

inline std::string QueryText::where_of(const QuerySpec &spec)
{
	Words all;

	for (const QuerySpec::Condition &condition : spec.filter.list)
		all.push_back(text_of(condition));
	return joined(all, ",");
}

inline std::string QueryText::format_of(const QuerySpec &spec)
{
	Words all;

	if (spec.format.opt == QuerySpec::FormatSpec::Default ||
	    !spec.format.formatter.name)
		return "";
	for (const auto &pair : spec.format.kwargs)
		all.push_back(pair.second.empty()
				      ? pair.first
				      : pair.first + "=" + quoted(pair.second));
	return spec.format.formatter.name +
	       (all.empty() ? "" : "(" + joined(all, ",") + ")");
}

inline std::string QueryText::write(const QuerySpec &spec, int clauses)
{
	static const struct {
		int clause;
		const char *name;
		std::string (*text)(const QuerySpec &spec);
	} parts[] = {{QUERY_LET, "let ", let_of},
		     {QUERY_SELECT, "select ", select_of},
		     {QUERY_AGGREGATE, "aggregate ", aggregate_of},
		     {QUERY_AGGREGATE, "group by ", group_of},
		     {QUERY_WHERE, "where ", where_of},
		     {QUERY_ORDER, "order by ", order_of},
		     {QUERY_FORMAT, "format ", format_of}};
	Words all;

	for (const auto &part : parts) {
		const std::string text = clauses & part.clause ? part.text(spec) : "";

		if (!text.empty())
			all.push_back(part.name + text);
	}
	return joined(all, " ");
}

} // namespace cali

#endif

#endif
