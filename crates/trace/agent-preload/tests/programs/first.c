/* The first thread ends before the others. What the last of them writes is still in the library's buffer then.
 *
 * exit        by pthread_exit
 * value       the same, with a value of its own whose destructor writes, too
 * fork        a child whose first thread ends so; the exit code is the child's
 * atexit      by pthread_exit; a function that is called at the end ends with 7
 */
#include <perflab/probe.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *other(void *argument) {
    usleep(200 * 1000);
    PERFLAB_PROBE(first, other);
    fputs("other ", stdout);
    return argument;
}

static void destroyed(void *value) { fputs(value, stdout); }

static void seven(void) {
    fflush(stdout);
    _exit(7);
}

int main(int count, char **words) {
    pthread_t thread;
    pthread_key_t key;
    const char *how = count > 1 ? words[1] : "exit";
    if (!strcmp(how, "fork")) {
        int status;
        pid_t child = fork();
        if (child > 0) {
            waitpid(child, &status, 0);
            return status != 0;
        }
    }
    if (pthread_create(&thread, NULL, other, NULL))
        return 2;
    if (!strcmp(how, "value") && (pthread_key_create(&key, destroyed) || pthread_setspecific(key, "value ")))
        return 2;
    if (!strcmp(how, "atexit"))
        atexit(seven);
    PERFLAB_PROBE(first, end);
    fputs("first ", stdout);
    pthread_exit(NULL);
}
