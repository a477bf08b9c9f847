/*
 * For the rule `strlen`. HIT: the condition of a loop finds the length of a string that
 * it writes to; MENDED: it is found once. MISS: the lengths of many strings, each once.
 *
 * build: gcc -O2 -g
 * measure: -m edges
 * finding: strlen upper
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static size_t upper(char *text)
{
	size_t changed = 0;

#ifdef MENDED
	for (size_t i = 0, length = strlen(text); i < length; i++) {
#else
	for (size_t i = 0; i < strlen(text); i++) {
#endif
		if (text[i] >= 'a' && text[i] <= 'z') {
			text[i] = (char)(text[i] - 'a' + 'A');
			changed++;
		}
	}
	return changed;
}

__attribute__((noinline)) static size_t lengths(char *const *words, size_t count)
{
	size_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += strlen(words[i]);
	return sum;
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 300;
	static char text[512];
	char *words[64];
	size_t sum = 0;

	for (int i = 0; i < 64; i++)
		words[i] = text;
	for (int i = 0; i < rounds; i++) {
		memset(text, 'a' + i % 26, sizeof(text) - 1);
#ifdef MISS
		sum += lengths(words, 64);
#else
		sum += upper(text) + lengths(words, 1);
#endif
	}
	printf("%zu\n", sum);
	return 0;
}
