/*
 * Starts the agent itself, says what came of it, and goes on as the program of sites that it is compiled with,
 * whose main was given another name. With the word `fork`, five children do so instead.
 */
#include <perflab/agent.h>

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#undef main
int sites_main(void);

int main(int count, char **words) {
    (void)words;
    printf("start %d\n", perflab_agent_start());
    fflush(stdout);
    if (count == 1)
        return sites_main();
    for (int i = 0; i < 5; i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            printf("child %d\n", getpid());
            fflush(stdout);
            return sites_main();
        }
        if (waitpid(child, &status, 0) != child || status != 0)
            return 1;
    }
    return 0;
}
