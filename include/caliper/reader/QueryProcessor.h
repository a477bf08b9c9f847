/* Runs queries over records, in C++11: see caliper/reader/CalQLParser.h. */
#ifndef CALI_READER_QUERYPROCESSOR_H
#define CALI_READER_QUERYPROCESSOR_H

#include "../cali.h"

#ifdef __cplusplus

#include "QueryRecords.h"
#include "QueryText.h"

namespace cali
{

class QueryProcessor : public QueryOutput
{
      public:
	QueryProcessor(const QuerySpec &spec, OutputStream &stream)
	    : QueryOutput(QueryText::of(spec), stream)
	{
	}
};

} // namespace cali

#endif

#endif
