// The same in C++.
#include "wide.c"
