/*
 * Four threads fork five children each while somebody looks through the linker's list of objects, which takes a
 * while here, under the linker's lock. Each child hits its site once, and waits for the program's end.
 */
#define _GNU_SOURCE
#include <perflab/probe.h>

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

typedef int callback(struct dl_phdr_info *, size_t, void *);

struct look {
    callback *each;
    void *data;
    int seen;
};

static int slowly(struct dl_phdr_info *info, size_t size, void *data) {
    struct look *look = data;
    if (look->seen++ == 0)
        usleep(50 * 1000);
    return look->each(info, size, look->data);
}

int dl_iterate_phdr(callback *each, void *data) {
    int (*all)(callback *, void *) = (int (*)(callback *, void *))dlsym(RTLD_NEXT, "dl_iterate_phdr");
    struct look look = {each, data, 0};
    return all(slowly, &look);
}

static int end[2];

static void *forks(void *argument) {
    for (int i = 0; i < 5; i++) {
        pid_t child = fork();
        if (child == 0) {
            char byte;
            close(end[1]);
            PERFLAB_PROBE(forks, child);
            _exit((int)read(end[0], &byte, 1));
        }
        printf("child %d\n", child);
        fflush(stdout);
        usleep(30 * 1000);
    }
    return argument;
}

int main(void) {
    pthread_t threads[4];
    char byte;
    if (pipe(end))
        return 1;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, forks, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    return (int)read(0, &byte, 1);
}
