/* System calls on files that the test knows by number: 40 writes of 100 bytes to one
 * file, one of 5000 to another, which is read again in pieces of 512, a pipe, and 7 that
 * fail. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
	static char buffer[5000];
	int first = open("first.txt", O_CREAT | O_TRUNC | O_WRONLY, 0600), second,
	    both[2];

	for (int i = 0; i < 40; i++)
		if (write(first, buffer, 100) != 100)
			return 1;
	second = dup(first);
	close(first);
	if (write(second, buffer, 1) != 1)
		return 1;
	second = open("second.txt", O_CREAT | O_TRUNC | O_RDWR, 0600);
	if (write(second, buffer, 5000) != 5000 || lseek(second, 0, SEEK_SET))
		return 1;
	while (read(second, buffer, 512) > 0)
		;
	if (pipe(both) || write(both[1], "abc", 3) != 3 || read(both[0], buffer, 10) != 3)
		return 1;
	for (int i = 0; i < 7; i++)
		if (unlink("no/such/file") != -1)
			return 1;
	return 0;
}
