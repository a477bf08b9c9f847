/* Runs code at very many addresses, each as long as the others. */
int main(void)
{
	for (;;)
		__asm__ volatile(".rept 40000\n\tadd $1, %%rax\n\t.endr" ::: "rax", "cc");
}
