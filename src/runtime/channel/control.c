/*
 * Channels that are started and stopped from outside the process: whoever does that
 * writes into the spool what is wanted of a channel (struct context_channel), and that
 * something is (context_spool.asked). The next event that a channel could see does so; no
 * signal is sent and no thread is stopped. What the program itself wants is another
 * matter: a channel measures if the program has it active and nobody stopped it.
 */
#include "runtime/channel/control.h"

#include "runtime/channel/channel.h"
#include "runtime/channel/channels.h"
#include "runtime/channel/event.h"
#include "runtime/store/lock.h"
#include "runtime/store/spool.h"
#include "runtime/store/state.h"
#include "wire/context_channel.h"

void channel_say_state(struct channel *channel)
{
	if (!runtime_state->recording) /* a new child: the spool is its parent's */
		return;
	runtime_lock(&channel->lock);
	if (channel_describe(channel))
		channel->record->active = channel->active;
	runtime_unlock(&channel->lock);
}

void channels_offer(void)
{
	for (uint32_t i = 0; i < CHANNELS_MAX; i++)
		if (channels.items[i] && channels.items[i]->active)
			channel_say_state(channels.items[i]);
}

/* Of the thread that sees it first, the time until then is the channel's. */
static void stop_thread(struct channel *channel, struct context_thread *thread,
			struct context_node *before, uint64_t now)
{
	uint64_t until = channel->record->wanted_ticks;

	if (channel->active && channel_is_here(channel))
		channel_settle(channel, thread, before, until < now ? until : now);
	channel->stopped = true;
	channel->generation++;
	channels_watch(NULL);
}

static void start_thread(struct channel *channel, struct context_thread *thread)
{
	channel->stopped = false;
	channel->generation++;
	channels_watch(channel->active ? channel : NULL);
	if (channel->active && channel_is_here(channel))
		channel_baseline(channel, thread);
}

void channels_obey(struct context_thread *thread, struct context_node *before,
		   uint64_t now)
{
	runtime_lock(&channels.lock);
	__atomic_store_n(&runtime_spool->asked, 0, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < CHANNELS_MAX; i++) {
		struct channel *channel = channels.items[i];
		struct context_channel *record = channel ? channel->record : NULL;
		bool stopped =
			record && __atomic_load_n(&record->wanted, __ATOMIC_SEQ_CST);

		if (!record || stopped == channel->stopped)
			continue;
		if (stopped)
			stop_thread(channel, thread, before, now);
		else
			start_thread(channel, thread);
		__atomic_store_n(&record->stopped, stopped, __ATOMIC_RELEASE);
	}
	runtime_unlock(&channels.lock);
}
