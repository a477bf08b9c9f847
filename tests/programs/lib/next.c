int next_work(int n);

int next_work(int n)
{
	__asm__ volatile("nopl 64(%rax)");
	return n * 3;
}
