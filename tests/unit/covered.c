/* Functions that the profiles of test_coverage.c have counts of. Their lines matter. */
int covered_called(int number);
int covered_missed(int number);
int covered_skipped(int number);

int covered_called(int number)
{
	return number * 3;
}

int covered_missed(int number)
{
	return number / 7;
}

int covered_skipped(int number)
{
	return number - 11;
}
