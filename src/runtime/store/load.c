#include "runtime/store/load.h"
#include "runtime/store/memory.h"

#include <fcntl.h>
#include <unistd.h>

char *load_text(const char *path, size_t room, ssize_t *ret_last)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	char *text = file >= 0 ? runtime_map(room) : NULL;
	size_t used = 0;

	*ret_last = 1;
	while (text && *ret_last > 0 && used < room - 1) {
		*ret_last = read(file, text + used, room - 1 - used);
		used += *ret_last > 0 ? (size_t)*ret_last : 0;
	}
	if (file >= 0)
		close(file);
	return text;
}
