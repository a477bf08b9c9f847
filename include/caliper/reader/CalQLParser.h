/*
 * Looks at queries, in C++11:
 *
 *     cali::CalQLParser parser("select path,sum(time) group by path format tree");
 *
 *     if (parser.error())
 *             std::cerr << parser.error_msg() << std::endl;
 *     cali::QueryProcessor query(parser.spec(), stream);
 *
 * The language: man/trammel-query.1.md.
 */
#ifndef CALI_READER_CALQLPARSER_H
#define CALI_READER_CALQLPARSER_H

#include "../cali.h"

#ifdef __cplusplus

#include "../cali-channel.h"
#include "QueryText.h"

#include <iostream>
#include <iterator>
#include <string>

namespace cali
{

class CalQLParser
{
	QuerySpec spec_;
	std::string error_;
	size_t place_;

	void look()
	{
		char message[512] = "there is no library for queries";

		if (!cali_query_check(spec_.text.c_str(), message, sizeof(message),
				      &place_))
			error_ = message;
		else
			QueryText::read(spec_);
	}

      public:
	explicit CalQLParser(std::istream &stream) : place_(0)
	{
		spec_.text.assign(std::istreambuf_iterator<char>(stream),
				  std::istreambuf_iterator<char>());
		look();
	}
	explicit CalQLParser(const char *text) : place_(0)
	{
		spec_.text = text;
		look();
	}
	bool error() const
	{
		return !error_.empty();
	}
	/* Where it is, in bytes from the begin. */
	std::istream::pos_type error_pos() const
	{
		return static_cast<std::streamoff>(place_);
	}
	std::string error_msg() const
	{
		return error_;
	}
	QuerySpec spec() const
	{
		return spec_;
	}
};

} // namespace cali

#endif

#endif
