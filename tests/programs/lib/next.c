int next_work(int n);

int next_work(int n)
{
	return n * 3;
}
