unsigned long work(unsigned long rounds)
{
	unsigned long state = 88172645463325252;

	while (rounds--) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
	}
	return state;
}
