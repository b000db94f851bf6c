/*
 * Refuses a system call to all its threads from now on, those of an agent too, and makes events:
 *
 *     filtered CALL   says that it is ready; makes ten events when standard input ends, and ten in another thread
 */
#define _GNU_SOURCE
#include <perflab/probe.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *work(void *argument) {
    for (int i = 0; i < 10; i++)
        PERFLAB_PROBE(filtered, work, (i32, i, i));
    return argument;
}

int main(int count, char **words) {
    unsigned call = count == 2 ? atoi(words[1]) : 0;
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
    pthread_t other;
    char byte;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program))
        return 1;
    puts("ready");
    fflush(stdout);
    while (read(0, &byte, 1) == 1)
        ;
    work(NULL);
    if (pthread_create(&other, NULL, work, NULL) || pthread_join(other, NULL))
        return 1;
    /* A recorder sees what there is while the process lives. */
    usleep(100 * 1000);
    return 0;
}
