/* Does with its process what it is told, line by line, and says so. */
#define _GNU_SOURCE
#include <perflab/probe.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

static __attribute__((noinline)) int work(int x) {
    PERFLAB_PROBE(life, work, (i32, x, x));
    return x + 1;
}

/* Numbers from one to before another. */
struct range {
    int from, to;
};

static void *work_in(void *range) {
    const struct range *of = range;
    for (int i = of->from; i < of->to; i++)
        if (work(i) != i + 1)
            abort();
    return NULL;
}

int main(int count, char **words) {
    char line[4096];
    static void *object;
    (void)count;
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, "work ", 5)) {
            struct range range = {0};
            if (sscanf(line + 5, "%d %d", &range.to, &range.from) < 1)
                abort();
            work_in(&range);
        } else if (!strncmp(line, "thread ", 7)) {
            // One that has ended when this is done.
            struct range range = {0};
            pthread_t thread;
            if (sscanf(line + 7, "%d %d", &range.to, &range.from) < 1 ||
                pthread_create(&thread, NULL, work_in, &range) || pthread_join(thread, NULL))
                abort();
        } else if (!strncmp(line, "open ", 5)) {
            object = dlopen(line + 5, RTLD_NOW);
            printf("%s ", object ? "opened" : "not opened");
        } else if (!strcmp(line, "close")) {
            dlclose(object);
        } else if (!strncmp(line, "call ", 5)) {
            int (*function)(int) = (int (*)(int))dlsym(object, line + 5);
            if (!function || function(1) != 2)
                abort();
        } else if (!strcmp(line, "fork")) {
            pid_t child = fork();
            if (child) {
                int status;
                printf("child %d\n", child);
                fflush(stdout);
                waitpid(child, &status, 0);
                printf("status %d ", status);
            } else {
                // A byte lets it go on.
                char byte;
                if (read(0, &byte, 1) != 1)
                    abort();
                work(1);
                if (read(0, &byte, 1) != 1)
                    abort();
                _exit(0);
            }
        } else if (!strcmp(line, "vfork")) {
            pid_t child = vfork();
            if (child == 0)
                _exit(work(1) == 2 ? 0 : 1);
            int status;
            waitpid(child, &status, 0);
            printf("status %d ", status);
        } else if (!strcmp(line, "exec")) {
            execv("/proc/self/exe", words);
        } else if (!strcmp(line, "closefrom")) {
            for (int i = 3; i < 1000; i++)
                close(i);
        } else if (!strcmp(line, "no writable code")) {
            if (prctl(PR_SET_MDWE, 1L, 0L, 0L, 0L))
                abort();
        } else if (!strncmp(line, "chroot ", 7)) {
            if (chroot(line + 7) || chdir("/"))
                abort();
        } else if (!strcmp(line, "user")) {
            if (setgid(65534) || setuid(65534))
                abort();
        }
        printf("done\n");
        fflush(stdout);
    }
    return 0;
}
