unsigned long rest(unsigned long value)
{
	return value >> 1 << 1;
}
