/*
 * What a query asks for, in C++11: see caliper/reader/CalQLParser.h. A program may change
 * what a parser made, or fill one by itself. The language has more than there are fields
 * for (OR, HAVING, arithmetic): a query with such stays as it was parsed.
 */
#ifndef CALI_READER_QUERYSPEC_H
#define CALI_READER_QUERYSPEC_H

#include "../cali.h"

#ifdef __cplusplus

#include <map>
#include <string>
#include <vector>

namespace cali
{

struct QuerySpec {
	template <class T> struct SelectionList {
		enum SelectionOpt { Default, None, All, List } selection = Default;
		std::vector<T> list;
		bool use_path = false; /* the path of regions, too */
	};
	/* A function of the language; the names of its arguments end with NULL. */
	struct FunctionSignature {
		int id;
		const char *name; /* NULL: the end of a table */
		int min_args, max_args;
		const char **args;
	};
	static const FunctionSignature FunctionSignatureTerminator;

	struct AggregationOp {
		FunctionSignature op;
		std::vector<std::string> args;

		AggregationOp() : op(FunctionSignatureTerminator)
		{
		}
		AggregationOp(const FunctionSignature &signature) : op(signature)
		{
		}
		AggregationOp(const FunctionSignature &signature,
			      const std::vector<std::string> &arguments)
		    : op(signature), args(arguments)
		{
		}
	};
	struct SortSpec {
		enum Order { None, Ascending, Descending } order;
		std::string attribute;

		SortSpec(const std::string &name, Order how = Ascending)
		    : order(how), attribute(name)
		{
		}
	};
	struct Condition {
		enum Op {
			None,
			Exist,
			NotExist,
			Equal,
			NotEqual,
			LessThan,
			GreaterThan,
			LessOrEqual,
			GreaterOrEqual
		} op;
		std::string attr_name, value;

		Condition() : op(None)
		{
		}
		Condition(Op kind, const std::string &name, const std::string &text)
		    : op(kind), attr_name(name), value(text)
		{
		}
	};
	struct FormatSpec {
		enum Opt { Default, User } opt = Default;
		FunctionSignature formatter = FunctionSignatureTerminator;
		/* One without a value: "". */
		std::map<std::string, std::string> kwargs;
	};
	struct PreprocessSpec {
		std::string target;
		AggregationOp op;
		Condition cond;
	};

	typedef SelectionList<AggregationOp> AggregationSelection;
	typedef SelectionList<std::string> AttributeSelection;
	typedef SelectionList<Condition> FilterSelection;
	typedef SelectionList<SortSpec> SortSelection;

	AggregationSelection aggregate;
	AttributeSelection groupby, select;
	FilterSelection filter; /* all of them hold */
	SortSelection sort;
	FormatSpec format;
	std::map<std::string, std::string> aliases, units; /* by attribute */
	std::vector<PreprocessSpec> preprocess_ops;

	/* Of a parser: what it read; what its fields make, and whether that is all. */
	std::string text, fields;
	bool is_whole = true;
};

/* There is one, however many files have this. */
__attribute__((weak))
const QuerySpec::FunctionSignature QuerySpec::FunctionSignatureTerminator = {
	-1, nullptr, 0, 0, nullptr};

} // namespace cali

#endif

#endif
