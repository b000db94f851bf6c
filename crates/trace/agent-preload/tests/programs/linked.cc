// The same for programs in C++.
#include "linked.c"
