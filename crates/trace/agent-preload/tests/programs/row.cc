// The same in C++.
#include "row.c"
