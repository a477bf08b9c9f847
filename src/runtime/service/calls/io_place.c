#include "runtime/service/calls/io_place.h"
#include "runtime/store/load.h"
#include "runtime/store/lock.h"
#include "runtime/store/memory.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { KNOWN_MAX = 32, TEXT_MAX = 1 << 18 };

/* Read without a lock. Who finds another one adding adds nothing, so that a child of fork
 * waits for nobody. */
static struct {
	bool adding;
	uint32_t count; /* later devices are looked up each time */
	struct {
		dev_t device;
		struct io_place place;
	} items[KNOWN_MAX];
} known;

static const struct io_place unknown = {"unknown", "unknown", "unknown"};

/* In place: \040 is a blank. */
static void io_place_unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		unsigned code;

		if (*text == '\\' && sscanf(text + 1, "%3o", &code) == 1) {
			*to++ = (char)code;
			text += 3;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

/* ID PARENT MAJOR:MINOR ROOT MOUNT OPTIONS... - TYPE SOURCE: proc_pid_mountinfo(5). */
static bool read_line(const char *line, dev_t device, struct io_place *ret_place)
{
	const char *type = strstr(line, " - ");
	unsigned major_number, minor_number;
	struct io_place place = unknown;

	if (!type ||
	    sscanf(line, "%*u %*u %u:%u %*s %255s", &major_number, &minor_number,
		   place.mount) != 3 ||
	    makedev(major_number, minor_number) != device ||
	    sscanf(type, " - %31s", place.filesystem) != 1)
		return false;
	io_place_unescape(place.mount);
	*ret_place = place;
	return true;
}

/* Of a device that is mounted in several places the first one. */
static void look_up(dev_t device, struct io_place *ret_place)
{
	ssize_t last;
	char *text = load_text("/proc/self/mountinfo", TEXT_MAX, &last);
	bool found = false;

	*ret_place = unknown;
	for (char *line = text, *next; line && *line && !found; line = next) {
		char *end = strchrnul(line, '\n');

		next = *end ? end + 1 : end;
		*end = '\0';
		found = read_line(line, device, ret_place);
	}
	if (text)
		runtime_unmap(text, TEXT_MAX);
}

static void io_place_add(dev_t device, const struct io_place *place)
{
	uint32_t count;

	if (__atomic_exchange_n(&known.adding, true, __ATOMIC_ACQUIRE))
		return;
	count = known.count;
	if (count < KNOWN_MAX) {
		known.items[count].device = device;
		known.items[count].place = *place;
		__atomic_store_n(&known.count, count + 1, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&known.adding, false, __ATOMIC_RELEASE);
}

/* As the kernel has it: a pipe is pipe:[NUMBER]. */
static void name_file(int fd, char *ret_name, size_t size)
{
	char link[32];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, ret_name, size - 1);
	if (length >= 0)
		ret_name[length] = '\0';
}

void io_place_of(int fd, struct io_place *ret_place)
{
	uint32_t count = __atomic_load_n(&known.count, __ATOMIC_ACQUIRE), i = 0;
	struct stat status;

	*ret_place = unknown;
	if (runtime_sealed || fstat(fd, &status))
		return;
	while (i < count && known.items[i].device != status.st_dev)
		i++;
	if (i < count) {
		*ret_place = known.items[i].place;
	} else {
		look_up(status.st_dev, ret_place);
		io_place_add(status.st_dev, ret_place);
	}
	name_file(fd, ret_place->file, sizeof(ret_place->file));
}
