/*
 * Reads .cali files, in C++11:
 *
 *     cali::CaliperMetadataDB nodes;
 *     cali::CaliReader reader;
 *
 *     reader.read("app.cali", nodes,
 *                 [](cali::CaliperMetadataAccessInterface &, const cali::Node *) {},
 *                 [](cali::CaliperMetadataAccessInterface &nodes,
 *                    const cali::EntryList &record) { ... });
 *     if (reader.error())
 *             std::cerr << reader.error_msg() << std::endl;
 *
 * `nodes` has the run's metadata (get_globals()) then. A line that makes no sense is left
 * out, and told by error_msg(). The format: docs/caliper.md.
 */
#ifndef CALI_READER_CALIREADER_H
#define CALI_READER_CALIREADER_H

#include "../cali.h"

#ifdef __cplusplus

#include "CaliperMetadataDB.h"

#include <cstdlib>
#include <fstream>

namespace cali
{

class CaliReader
{
	/* key=value=value,... */
	struct Field {
		std::string key;
		std::vector<std::string> values;
	};
	typedef std::vector<Field> Line;

	std::string error_;
	size_t line_ = 0;

	static Line split(const std::string &text);
	static const std::vector<std::string> &values(const Line &line, const char *key);
	static std::vector<cali_id_t> ids(const Line &line, const char *key);
	static cali_id_t id(const Line &line, const char *key);
	/* Whether a line of the file was about the node, or it is there from the first.
	 */
	static bool has(cali_id_t id, const IdMap &map)
	{
		return id < FirstNodes::COUNT || map.count(id);
	}
	void say(const std::string &wrong);
	void take_node(const Line &line, CaliperMetadataDB &nodes, IdMap &map,
		       const NodeProcessFn &take);
	bool has_values(const Line &line);
	void take_record(const Line &line, CaliperMetadataDB &nodes, const IdMap &map,
			 const SnapshotProcessFn &take);
	void take_globals(const Line &line, CaliperMetadataDB &nodes, const IdMap &map);

      public:
	bool error() const
	{
		return !error_.empty();
	}
	/* What was wrong first, with its line. */
	std::string error_msg() const
	{
		return error_;
	}
	void read(std::istream &stream, CaliperMetadataDB &nodes, NodeProcessFn take_node,
		  SnapshotProcessFn take_record);
	void read(const std::string &path, CaliperMetadataDB &nodes,
		  NodeProcessFn take_node, SnapshotProcessFn take_record);
};

inline CaliReader::Line CaliReader::split(const std::string &text)
{
	Line line(1);
	std::string *part = &line.back().key;

	for (size_t i = 0; i < text.size(); i++) {
		if (text[i] == '\\' && i + 1 < text.size()) {
			i++;
			*part += text[i] == 'n' ? '\n' : text[i];
		} else if (text[i] == ',') {
			line.push_back(Field());
			part = &line.back().key;
		} else if (text[i] == '=') {
			line.back().values.push_back("");
			part = &line.back().values.back();
		} else {
			*part += text[i];
		}
	}
	return line;
}

inline const std::vector<std::string> &CaliReader::values(const Line &line,
							  const char *key)
{
	static const std::vector<std::string> none;

	for (const Field &field : line)
		if (field.key == key)
			return field.values;
	return none;
}

inline std::vector<cali_id_t> CaliReader::ids(const Line &line, const char *key)
{
	std::vector<cali_id_t> numbers;

	for (const std::string &text : values(line, key)) {
		char *end;
		const cali_id_t number = std::strtoull(text.c_str(), &end, 10);

		numbers.push_back(text.empty() || *end ? CALI_INV_ID : number);
	}
	return numbers;
}

inline cali_id_t CaliReader::id(const Line &line, const char *key)
{
	const std::vector<cali_id_t> all = ids(line, key);

	return all.empty() ? CALI_INV_ID : all.front();
}

inline void CaliReader::say(const std::string &wrong)
{
	if (error_.empty())
		error_ = "line " + std::to_string(line_) + ": " + wrong;
}

inline void CaliReader::take_node(const Line &line, CaliperMetadataDB &nodes, IdMap &map,
				  const NodeProcessFn &take)
{
	const std::vector<std::string> &data = values(line, "data");
	const cali_id_t above = id(line, "parent"), attribute = id(line, "attr");
	const Node *node =
		!has(attribute, map) || (above != CALI_INV_ID && !has(above, map))
			? nullptr
			: nodes.merge_node(id(line, "id"), attribute, above,
					   data.empty() ? std::string() : data.front(),
					   map);

	if (!node)
		say("a node without an id, or of one that is not there");
	else if (take)
		take(nodes, node);
}

inline bool CaliReader::has_values(const Line &line)
{
	if (values(line, "attr").size() == values(line, "data").size())
		return true;
	say("a record with more attributes than values, or fewer");
	return false;
}

inline void CaliReader::take_record(const Line &line, CaliperMetadataDB &nodes,
				    const IdMap &map, const SnapshotProcessFn &take)
{
	const std::vector<std::string> &data = values(line, "data");
	const std::vector<cali_id_t> attributes = ids(line, "attr");
	EntryList record;

	if (!has_values(line))
		return;
	for (cali_id_t number : ids(line, "ref"))
		record.push_back(has(number, map) ? nodes.merge_entry(number, map)
						  : Entry());
	for (size_t i = 0; i < attributes.size(); i++)
		record.push_back(has(attributes[i], map)
					 ? nodes.merge_entry(attributes[i], data[i], map)
					 : Entry());
	for (const Entry &entry : record)
		if (entry.empty()) {
			say("a record with an id that is not there");
			return;
		}
	if (take)
		take(nodes, record);
}

inline void CaliReader::take_globals(const Line &line, CaliperMetadataDB &nodes,
				     const IdMap &map)
{
	const std::vector<std::string> &data = values(line, "data");
	const std::vector<cali_id_t> attributes = ids(line, "attr");

	if (!has_values(line))
		return;
	for (cali_id_t number : ids(line, "ref"))
		if (has(number, map))
			nodes.merge_global(number, map);
	for (size_t i = 0; i < attributes.size(); i++)
		if (has(attributes[i], map))
			nodes.merge_global(attributes[i], data[i], map);
}

inline void CaliReader::read(std::istream &stream, CaliperMetadataDB &nodes,
			     NodeProcessFn node, SnapshotProcessFn record)
{
	std::string text;
	IdMap map;

	for (line_ = 1; std::getline(stream, text); line_++) {
		const Line line = split(text);
		const std::vector<std::string> &kind = values(line, "__rec");

		if (text.empty())
			continue;
		if (kind.size() == 1 && kind.front() == "node")
			take_node(line, nodes, map, node);
		else if (kind.size() == 1 && kind.front() == "ctx")
			take_record(line, nodes, map, record);
		else if (kind.size() == 1 && kind.front() == "globals")
			take_globals(line, nodes, map);
		else
			say("no node, record or globals");
	}
}

inline void CaliReader::read(const std::string &path, CaliperMetadataDB &nodes,
			     NodeProcessFn node, SnapshotProcessFn record)
{
	std::ifstream file(path);

	if (file)
		read(file, nodes, node, record);
	else
		error_ = "cannot read '" + path + "'";
}

} // namespace cali

#endif

#endif
