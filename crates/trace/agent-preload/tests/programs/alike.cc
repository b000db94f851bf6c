// The same in C++.
#include "alike.c"
