/*
 * Events that begin in one place and end in another, perhaps of another thread, in C++11:
 * see caliper/cali.h. How long each took is a metric, async.duration.ns, of the context
 * async.event=NAME, in that where it ended.
 */
#ifndef CALI_ASYNC_EVENT_H
#define CALI_ASYNC_EVENT_H

#include "cali.h"
#include "common/Variant.h"

#ifdef __cplusplus

#include <chrono>

namespace cali
{

/* The name must live until the end. */
class TimedAsyncEvent
{
	typedef std::chrono::steady_clock clock;

	const char *name_;
	clock::time_point begin_;

	explicit TimedAsyncEvent(const char *name) : name_(name), begin_(clock::now())
	{
	}

      public:
	TimedAsyncEvent() : name_(nullptr), begin_()
	{
	}
	static TimedAsyncEvent begin(const char *name)
	{
		return TimedAsyncEvent(name);
	}
	/* Once; later ones do nothing. */
	void end()
	{
		if (!name_)
			return;
		const cali_id_t event = cali_create_attribute(
			"async.event", CALI_TYPE_STRING, CALI_ATTR_NESTED);
		const cali_id_t duration =
			cali_create_attribute("async.duration.ns", CALI_TYPE_UINT,
					      CALI_ATTR_ASVALUE | CALI_ATTR_AGGREGATABLE);
		const std::chrono::nanoseconds took = clock::now() - begin_;

		cali_begin_string(event, name_);
		cali_set_variant(duration, cali_make_variant_from_uint(
						   static_cast<uint64_t>(took.count())));
		cali_end(duration);
		cali_end(event);
		name_ = nullptr;
	}
};

} // namespace cali

#endif

#endif
