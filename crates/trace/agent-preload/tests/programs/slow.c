/* An object whose beginning takes long, before it says that it has begun. */
#include <unistd.h>

__attribute__((constructor(101))) static void begin(void) { usleep(700 * 1000); }
