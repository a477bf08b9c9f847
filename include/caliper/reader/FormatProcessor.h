/* Shows records, in C++11: SELECT, ORDER BY and FORMAT of a query. */
#ifndef CALI_READER_FORMATPROCESSOR_H
#define CALI_READER_FORMATPROCESSOR_H

#include "../cali.h"

#ifdef __cplusplus

#include "QueryRecords.h"
#include "QueryText.h"

namespace cali
{

class FormatProcessor : public QueryOutput
{
      public:
	FormatProcessor(const QuerySpec &spec, OutputStream &stream)
	    : QueryOutput(
		      QueryText::write(spec, QUERY_SELECT | QUERY_ORDER | QUERY_FORMAT),
		      stream)
	{
	}
	static const QuerySpec::FunctionSignature *formatter_defs()
	{
		return QueryText::formats();
	}
};

} // namespace cali

#endif

#endif
