/* Queries, in C++11: see caliper/reader/CalQLParser.h. */
#ifndef CALI_READER_QUERYSPEC_H
#define CALI_READER_QUERYSPEC_H

#include "../cali.h"

#ifdef __cplusplus

#include <string>

namespace cali
{

/* A query that makes sense, as its text. */
struct QuerySpec {
	std::string text;
};

} // namespace cali

#endif

#endif
