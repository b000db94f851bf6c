/*
 * late MS [vfork|fork]   starts its agent so many milliseconds after it has begun, and hits a site a hundred times
 *
 * With `vfork` a child that has its memory then waits for 100 ms, and becomes another program. With `fork` there is a
 * child before the agent, which hits the site too, later.
 */
#define _GNU_SOURCE
#include <perflab/agent.h>
#include <perflab/probe.h>

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#undef main

static void work(void) {
    for (int i = 0; i < 100; i++)
        PERFLAB_PROBE(late, work, (i32, i, i));
}

int main(int count, char **words) {
    int status = 0;
    pid_t child = -1;
    if (count > 2 && !strcmp(words[2], "fork")) {
        child = fork();
        if (child == 0) {
            usleep(300 * 1000);
            work();
            _exit(0);
        }
    }
    usleep(atoi(words[1]) * 1000);
    if (perflab_agent_start())
        return 1;
    work();
    if (count > 2 && !strcmp(words[2], "vfork")) {
        child = vfork();
        if (child == 0) {
            usleep(100 * 1000);
            execl("/bin/true", "true", (char *)0);
            _exit(1);
        }
    }
    if (child > 0)
        waitpid(child, &status, 0);
    return status;
}
