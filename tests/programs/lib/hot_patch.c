/* The library of hot_patch.c. */
int of_library(void);

__attribute__((aligned(16))) int of_library(void)
{
	return 12;
}
