/* Copies /proc/self/maps at the end of a process to $MAPS_FOLDER/PID: for
 * tests/real/mapped.py. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((destructor)) static void copy_maps(void)
{
	const char *folder = getenv("MAPS_FOLDER");
	char name[4200], bytes[4096];
	ssize_t n;

	if (!folder)
		return;
	snprintf(name, sizeof(name), "%.4000s/%d", folder, (int)getpid());
	int in = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	int out = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	while ((n = read(in, bytes, sizeof(bytes))) > 0)
		if (write(out, bytes, (size_t)n) != n)
			break;
	close(in);
	close(out);
}
