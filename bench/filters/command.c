/* Commands, and the time. */
#define _GNU_SOURCE
#include "command.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what) {
    perror(what);
    exit(1);
}

uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* In the child: on any processor, and without the agent. */
static void become(const char *how, enum probe probe, const char *expression, const char *pid) {
    const char *command = getenv("FILTERS_ASK");
    cpu_set_t all;
    memset(&all, 0xff, sizeof all);
    sched_setaffinity(0, sizeof all, &all);
    unsetenv("LD_PRELOAD");
    execl(command, command, how, probe_names[probe], expression, pid, (char *)NULL);
    perror(command);
    _exit(127);
}

struct asked ask(const char *how, enum probe probe, const char *expression) {
    struct asked asked = {.started = now_ns()};
    char pid[16];
    int ends[2];
    snprintf(pid, sizeof pid, "%d", getpid());
    if (pipe(ends) != 0)
        fail("pipe");
    asked.pid = fork();
    if (asked.pid < 0)
        fail("fork");
    if (asked.pid == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        become(how, probe, expression, pid);
    }
    close(ends[1]);
    asked.output = ends[0];
    return asked;
}

const char *answer(struct asked *asked) {
    static char text[1 << 16];
    size_t length = 0;
    ssize_t got;
    int status;
    while ((got = read(asked->output, text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)got;
    text[length] = 0;
    close(asked->output);
    if (waitpid(asked->pid, &status, 0) < 0)
        fail("waitpid");
    if (status != 0) {
        fprintf(stderr, "what was asked ended with status %d: %s\n", status, text);
        exit(1);
    }
    return text;
}

uint64_t number_of(const char *answer, const char *name) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\": ", name);
    const char *found = strstr(answer, quoted);
    if (!found) {
        fprintf(stderr, "no %s in %s\n", name, answer);
        exit(1);
    }
    return strtoull(found + strlen(quoted), NULL, 10);
}
