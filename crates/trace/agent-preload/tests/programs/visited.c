/* Hits one probe from threads and children that come and go, as its words say, and counts the hits in a file that outlives it:
   a word of 64 bits for each thread, in the order in which they begin.

   threads N HITS PAUSE     threads that go on while the next words are done, with so many microseconds after each hit
   short N HITS AT_ONCE     threads that hit and end, so many at a time
   fork N HITS              children that hit and end, one after the other
   sleep MICROSECONDS, join, kill */
#define _GNU_SOURCE
#include <perflab/probe.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 1 << 16, MOST_AT_ONCE = 256 };

static volatile uint64_t *counts;
static unsigned begun;
static pthread_t going[MOST_AT_ONCE];
static int threads;

static __attribute__((noinline)) void hit(unsigned thread, uint64_t number) {
    PERFLAB_PROBE(visited, hit, (u32, thread, thread), (u64, number, number));
}

struct work {
    unsigned thread;
    long hits, pause;
};

static void *work(void *words) {
    struct work of = *(struct work *)words;
    free(words);
    for (long i = 0; i < of.hits; i++) {
        hit(of.thread, counts[of.thread]);
        counts[of.thread]++;
        if (of.pause)
            usleep(of.pause);
    }
    return NULL;
}

static struct work *next(long hits, long pause) {
    struct work *of = malloc(sizeof *of);
    if (!of || begun >= MOST)
        abort();
    *of = (struct work){begun++, hits, pause};
    return of;
}

static void begin(long hits, long pause) {
    if (threads == MOST_AT_ONCE || pthread_create(&going[threads++], NULL, work, next(hits, pause)))
        abort();
}

static void join(void) {
    while (threads > 0)
        pthread_join(going[--threads], NULL);
}

int main(int count, char **words) {
    int file = count > 1 ? open(words[1], O_RDWR | O_CREAT, 0600) : -1;
    if (file < 0 || ftruncate(file, MOST * sizeof *counts))
        return 2;
    counts = mmap(NULL, MOST * sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (counts == MAP_FAILED)
        return 2;
    for (int at = 2; at < count; at++) {
        const char *what = words[at];
        long of[3] = {0};
        for (int i = 0; i < 3 && at + 1 < count && words[at + 1][0] <= '9'; i++)
            of[i] = atol(words[++at]);
        if (!strcmp(what, "threads")) {
            while (of[0]-- > 0)
                begin(of[1], of[2]);
        } else if (!strcmp(what, "short")) {
            join();
            for (; of[0] > 0; of[0]--) {
                begin(of[1], 0);
                if (threads >= of[2])
                    join();
            }
            join();
        } else if (!strcmp(what, "fork")) {
            while (of[0]-- > 0) {
                struct work *own = next(of[1], 0);
                pid_t child = fork();
                if (child == 0) {
                    work(own);
                    _exit(0);
                }
                free(own);
                if (child < 0 || waitpid(child, NULL, 0) != child)
                    abort();
            }
        } else if (!strcmp(what, "sleep")) {
            usleep(of[0]);
        } else if (!strcmp(what, "join")) {
            join();
        } else if (!strcmp(what, "kill")) {
            raise(SIGKILL);
        } else {
            return 2;
        }
    }
    return 0;
}
