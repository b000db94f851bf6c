/*
 * late MS [vfork]   starts its agent so many milliseconds after it has begun, and hits a site a hundred times; then a
 *                   child that has its memory waits for 100 ms, and becomes another program
 */
#define _GNU_SOURCE
#include <perflab/agent.h>
#include <perflab/probe.h>

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#undef main

int main(int count, char **words) {
    int status = 0;
    usleep(atoi(words[1]) * 1000);
    if (perflab_agent_start())
        return 1;
    for (int i = 0; i < 100; i++)
        PERFLAB_PROBE(late, work, (i32, i, i));
    if (count > 2) {
        pid_t child = vfork();
        if (child == 0) {
            usleep(100 * 1000);
            execl("/bin/true", "true", (char *)0);
            _exit(1);
        }
        waitpid(child, &status, 0);
    }
    return status;
}
