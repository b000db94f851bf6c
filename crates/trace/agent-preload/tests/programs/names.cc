// The same in C++.
#include "names.c"
