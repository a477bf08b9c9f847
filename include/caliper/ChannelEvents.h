/* How functions that are connected to a channel are called: see caliper/Channel.h. */
#ifndef CALI_CHANNELEVENTS_H
#define CALI_CHANNELEVENTS_H

#include "Channel.h"

#ifdef __cplusplus

#include <map>

namespace cali
{

/* Kept for good: a thread may be in the middle of an event. */
struct ChannelEvents_ {
	typedef std::map<cali_id_t, Channel::Events *> Known;

	/* What Caliper::memory_region_begin() is told besides. */
	struct Extra {
		size_t count;
		const Attribute *attributes;
		const Variant *values;
	};
	enum { SNAPSHOT_MAX = 120 };

	static Known &all()
	{
		static auto *known = new Known;

		return *known;
	}
	/* NULL: nobody is connected. */
	static Channel::Events *find(cali_id_t channel)
	{
		auto found = all().find(channel);

		return found == all().end() ? nullptr : found->second;
	}
	/* Whether what is written is not what the channel has. */
	static bool edits(const Channel::Events &events)
	{
		return !events.flush_evt.empty() || !events.postprocess_snapshot.empty();
	}
	static Extra &extra()
	{
		static thread_local Extra now = {0, nullptr, nullptr};

		return now;
	}
	static void tell(void *context, enum cali_event_kind kind, cali_id_t attribute,
			 cali_variant_t value);
	static void tell_event(Channel::Events &events, enum cali_event_kind kind,
			       const Attribute &attribute, const Variant &value);
	static void take(Channel::Events &events, SnapshotView given);
	static void add(Channel::Events &events, SnapshotView record, size_t before);
	static void snapshot(void *context, int n, const cali_id_t attributes[],
			     const cali_variant_t values[]);
	static void track(void *context, const void *place, const char *label,
			  size_t element_size, const size_t *dimensions,
			  size_t dimension_count);
	static void untrack(void *context, const void *place);
	static void finish(Channel::Events &events);
	static void finish_all();
};

} // namespace cali

#endif

#endif
