unsigned long work(unsigned long rounds);
unsigned long rest(unsigned long value);

int main(void)
{
	return (int)(rest(work(3000000)) & 1);
}
