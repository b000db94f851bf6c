/* The sites of this program, as it finds them itself. */
#ifndef SITES_H
#define SITES_H

#include "chains.h"

struct perflab_point;

/* The point of a probe, which has one. */
struct perflab_point *point_of(enum probe probe);

/* Turns the no-op of each of its sites into a jump. This program has one thread. */
void switch_on(enum probe probe);

#endif
