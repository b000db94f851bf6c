/* The other half of alike.c. */
#include <perflab/probe.h>

void alike_too(int times, const char *text);
void open_too(int times);
void pay_too(int times);

void alike_too(int times, const char *text) {
    for (int i = 0; i < times; i++) {
#line 20 "alike.c"
        PERFLAB_PROBE(sites, alike, (cstr, text, text));
    }
}

void open_too(int times) {
    for (int i = 0; i < times; i++) {
#line 30 "with a, @2 (and) 'more';#.c"
        PERFLAB_PROBE(sites__conn, open, (i32, number, i));
    }
}

void pay_too(int times) {
    for (int i = 0; i < times; i++) {
#line 40 "alike.c"
        PERFLAB_PROBE_ORDERED(sites, pay, (i32, number, i));
    }
}
