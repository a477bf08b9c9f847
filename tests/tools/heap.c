/* Blocks of the heap that the test knows: 100 of 24 bytes that are freed, 10 of 1000 that
 * are not, by way of two functions, one that grows, and some of the other functions. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) void *make_block(size_t size)
{
	void *volatile block = malloc(size);

	return block;
}

__attribute__((noinline)) void keep_blocks(void)
{
	for (int i = 0; i < 10; i++) {
		void *volatile block = make_block(1000);

		*(char *)block = 1;
	}
}

__attribute__((noinline)) void free_blocks(void)
{
	for (int i = 0; i < 100; i++) {
		void *block = make_block(24);

		*(volatile char *)block = 1;
		free(block);
	}
}

__attribute__((noinline)) void grow_block(void)
{
	char *block = calloc(10, 30);

	block = realloc(block, 3000);
	block = realloc(block, 300000);
	free(block);
	free(NULL);
}

int main(void)
{
	keep_blocks();
	free_blocks();
	grow_block();
	return 0;
}
