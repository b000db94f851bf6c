// The same in C++.
#include "alike_too.c"
