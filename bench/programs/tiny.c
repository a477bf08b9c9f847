/* A small file for a compiler to start up for. */
int twice(int number)
{
	return 2 * number;
}
