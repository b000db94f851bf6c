// Preloaded into a server: each read() computes for PLANTED_LOOPS rounds first, about a nanosecond each.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static long loops;

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("PLANTED_LOOPS");
    loops = text ? atol(text) : 0;
}

// Each round needs the one before, so that no processor skips any.
void planted(long rounds) {
    static volatile uint64_t sink;
    uint64_t x = 1;
    for (long i = 0; i < rounds; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    sink = x;
}

ssize_t read(int fd, void *into, size_t size) {
    planted(loops);
    return syscall(SYS_read, fd, into, size);
}
