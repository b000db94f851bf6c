/* What of other work does the reading of the time stamp counter hide? Prints what an iteration of loops takes, in
 * cycles of the processor: of the reading alone, with instructions that need nothing of each other, and with a chain of
 * those that need the one before. A cycle is a third of a multiplication. */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { TIMES = 20000, ROUNDS = 1000 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#define FIVE(x) x x x x x
#define LOOP(name, text)                                                                     \
    static void __attribute__((noinline)) name(void) {                                       \
        for (int i = TIMES; i; i--)                                                          \
            __asm__ volatile(text ::: "rax", "rdx", "rcx", "rsi", "rdi", "r8", "r9", "r10",  \
                             "r11", "cc");                                                   \
    }
#define FREE                                                                                 \
    "add $1, %%rcx\nadd $1, %%rsi\nadd $1, %%rdi\nadd $1, %%r9\nadd $1, %%r10\nadd $1, %%r11\n"
#define ANEW "mov $3, %%r8d\n"
#define CHAIN "imul %%r8, %%r8\n"

/* It goes through all iterations, so that they follow each other; the others begin again in each. */
LOOP(multiply, FIVE(CHAIN) FIVE(CHAIN))
LOOP(alone, "rdtsc\n")
LOOP(free_30, FIVE(FREE) "rdtsc\n")
LOOP(free_60, FIVE(FREE) FIVE(FREE) "rdtsc\n")
LOOP(chain_5, ANEW FIVE(CHAIN) "rdtsc\n")
LOOP(chain_10, ANEW FIVE(CHAIN) FIVE(CHAIN) "rdtsc\n")
LOOP(chain_15, ANEW FIVE(CHAIN) FIVE(CHAIN) FIVE(CHAIN) "rdtsc\n")
LOOP(chain_10_behind, "rdtsc\n" ANEW FIVE(CHAIN) FIVE(CHAIN))

static struct {
    const char *name;
    void (*loop)(void);
    double least;
} all[] = {
    {"ten multiplications, a chain", multiply, 1e99},
    {"rdtsc", alone, 1e99},
    {"rdtsc, 30 additions that need nothing", free_30, 1e99},
    {"rdtsc, 60 additions that need nothing", free_60, 1e99},
    {"rdtsc, 5 multiplications, a chain", chain_5, 1e99},
    {"rdtsc, 10 multiplications, a chain", chain_10, 1e99},
    {"rdtsc, 15 multiplications, a chain", chain_15, 1e99},
    {"rdtsc before 10 multiplications, a chain", chain_10_behind, 1e99},
};
enum { LOOPS = sizeof all / sizeof *all };

int main(void) {
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < LOOPS; i++) {
            double start = now();
            all[i].loop();
            double each = (now() - start) / TIMES;
            if (each < all[i].least)
                all[i].least = each;
        }
    double cycle = all[0].least / 30;
    for (int i = 0; i < LOOPS; i++)
        printf("%5.1f cycles  %s\n", all[i].least / cycle, all[i].name);
    return 0;
}
