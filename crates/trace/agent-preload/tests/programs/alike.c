/*
 * Sites that are alike in provider, name, file, line and number, but not in their arguments, or not in whether they are
 * ordered; and two names that differ in where the provider ends. The other half is in alike_too.c. Waits when each was executed.
 */
#include <perflab/probe.h>

#include <stdio.h>

void alike_too(int times, const char *text);
void open_too(int times);
void pay_too(int times);

static void alike(int times) {
    for (int i = 0; i < times; i++) {
#line 20 "alike.c"
        PERFLAB_PROBE(sites, alike, (i32, number, i));
    }
}

static void open(int times) {
    for (int i = 0; i < times; i++) {
#line 30 "with a, @2 (and) 'more';#.c"
        PERFLAB_PROBE(sites, conn__open, (i32, number, i));
    }
}

static void pay(int times) {
    for (int i = 0; i < times; i++) {
#line 40 "alike.c"
        PERFLAB_PROBE(sites, pay, (i32, number, i));
    }
}

int main(void) {
    alike(1000);
    alike_too(500, "text");
    open(300);
    open_too(200);
    pay(70);
    pay_too(30);
    printf("done\n");
    fflush(stdout);
    return getchar() == 'x';
}
