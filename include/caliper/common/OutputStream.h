/* Where output goes, in C++11: see caliper/cali.h. */
#ifndef CALI_COMMON_OUTPUTSTREAM_H
#define CALI_COMMON_OUTPUTSTREAM_H

#include "CaliperMetadataAccessInterface.h"
#include "Entry.h"

#ifdef __cplusplus

#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace cali
{

/* Copies are the same stream. A file is opened when the stream is first asked for. */
class OutputStream
{
      public:
	enum StreamType { None, StdOut, StdErr, File, User };
	enum Mode { Truncate, Append };

      private:
	struct State {
		StreamType type = None;
		Mode mode = Truncate;
		std::string name;
		std::ofstream file;
		std::ostream *user = nullptr;
	};
	std::shared_ptr<State> state_;

      public:
	OutputStream() : state_(std::make_shared<State>())
	{
	}
	/* Whether it goes anywhere. */
	operator bool() const
	{
		return state_->type != None;
	}
	StreamType type() const
	{
		return state_->type;
	}
	/* NULL: it goes nowhere. */
	std::ostream *stream();
	void set_stream(StreamType type);
	void set_stream(std::ostream *user);
	/* "stdout" and "stderr" are those. */
	void set_filename(const char *name);
	/* The same with values in place of %ATTRIBUTE%: of these entries, or the run's
	 * metadata; "" where there is none. */
	void set_filename(const char *format, CaliperMetadataAccessInterface &nodes,
			  const std::vector<Entry> &entries);
	void set_mode(Mode mode)
	{
		state_->mode = mode;
	}
};

} // namespace cali

namespace cali
{

inline void OutputStream::set_stream(StreamType type)
{
	*state_ = State();
	state_->type = type;
}

inline void OutputStream::set_stream(std::ostream *user)
{
	set_stream(user ? User : None);
	state_->user = user;
}

inline void OutputStream::set_filename(const char *name)
{
	const Mode mode = state_->mode;
	const std::string text = name;

	set_stream(text == "stdout" ? StdOut : text == "stderr" ? StdErr : File);
	state_->mode = mode;
	state_->name = text;
}

inline void OutputStream::set_filename(const char *format,
				       CaliperMetadataAccessInterface &nodes,
				       const std::vector<Entry> &entries)
{
	std::string name, rest = format;
	std::vector<Entry> all = entries;

	for (const Entry &entry : nodes.get_globals())
		all.push_back(entry);
	for (size_t at; (at = rest.find('%')) != std::string::npos;) {
		const size_t end = rest.find('%', at + 1);
		const Attribute attribute =
			nodes.get_attribute(rest.substr(at + 1, end - at - 1));
		Variant value;

		if (end == std::string::npos)
			break;
		for (const Entry &entry : all)
			if (value.empty())
				value = entry.value(attribute);
		name += rest.substr(0, at) + value.to_string();
		rest = rest.substr(end + 1);
	}
	set_filename((name + rest).c_str());
}

inline std::ostream *OutputStream::stream()
{
	switch (state_->type) {
	case StdOut:
		return &std::cout;
	case StdErr:
		return &std::cerr;
	case User:
		return state_->user;
	case File:
		if (!state_->file.is_open())
			state_->file.open(state_->name, state_->mode == Append
								? std::ios::app
								: std::ios::trunc);
		return &state_->file;
	default:
		return nullptr;
	}
}

} // namespace cali

#endif

#endif
