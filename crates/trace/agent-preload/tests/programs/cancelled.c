/* Threads that are cancelled at any instruction, most of them within an event that finds no room. */
#include <perflab/probe.h>

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *hits(void *argument) {
    int before;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
    for (long i = 0;; i++) {
        PERFLAB_PROBE(cancelled, number, (i64, i, i));
        PERFLAB_PROBE(cancelled, text, (cstr, text, "a text"));
    }
    return argument;
}

int main(void) {
    for (int i = 0; i < 100; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, hits, NULL))
            return 1;
        usleep(2000);
        if (pthread_cancel(thread) || pthread_join(thread, NULL))
            return 1;
    }
    puts("all cancelled");
    return 0;
}
