/* Called through the procedure linkage table, and calls back. */
int arcs_work(int (*back)(int), int n);

int arcs_work(int (*back)(int), int n)
{
	return back(n) + back(n + 1);
}
