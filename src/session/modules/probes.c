#include "session/modules/probes.h"

#include "base/page.h"
#include "control/remote.h"

static void *item_of(const struct probes *probes, size_t index)
{
	return (uint8_t *)probes->items + index * probes->size;
}

static uint64_t address_of(const struct probes *probes, size_t index)
{
	return *(const uint64_t *)item_of(probes, index);
}

void probes_change(int memory_fd, struct probes probes, probes_changer *change,
		   const void *context)
{
	uint8_t bytes[PAGE + PROBE_FLAG_SIZE];
	size_t end;

	for (size_t next = 0; next < probes.count; next = end) {
		uint64_t start = address_of(&probes, next);
		bool changed = false;
		size_t size;

		for (end = next + 1; end < probes.count; end++)
			if (address_of(&probes, end) - start >= PAGE)
				break;
		size = (size_t)(address_of(&probes, end - 1) - start) + PROBE_FLAG_SIZE;
		if (remote_failed(remote_read(memory_fd, start, bytes, size)))
			continue;
		for (size_t i = next; i < end; i++)
			changed |= change(item_of(&probes, i), context,
					  bytes + (address_of(&probes, i) - start));
		if (changed)
			remote_failed(remote_write(memory_fd, start, bytes, size));
	}
}
