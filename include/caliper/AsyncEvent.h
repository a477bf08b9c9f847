/*
 * Events that begin in one place and end in another, perhaps of another thread, in C++11:
 * see caliper/cali.h. Channels with the service async_event have a snapshot of its begin,
 * with async.begin=NAME, and one of its end, with async.end=NAME and event.duration.ns.
 */
#ifndef CALI_ASYNC_EVENT_H
#define CALI_ASYNC_EVENT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void trammel_cali_async_begin(const char *name);
void trammel_cali_async_end(const char *name, uint64_t ns);

#ifdef __cplusplus
}

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
		trammel_cali_async_begin(name);
		return TimedAsyncEvent(name);
	}
	/* Once; later ones do nothing. */
	void end()
	{
		if (!name_)
			return;
		const std::chrono::nanoseconds took = clock::now() - begin_;

		trammel_cali_async_end(name_, static_cast<uint64_t>(took.count()));
		name_ = nullptr;
	}
};

} // namespace cali

#endif

#endif
