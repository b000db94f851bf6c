/*
 * Starts a program in surroundings that are hard on an agent:  surround MODE PROGRAM [WORD ...]
 *
 *     mdwe     memory that was not executable cannot become so
 *     refuse   membarrier is refused by a filter of system calls
 *     kill     membarrier ends the process that calls it
 *     files    close_range is refused
 *     no-change memory cannot become executable, by a filter
 *     no-code  memory that is executable and no file's is refused
 *     kill-code such memory ends the process that asks for it
 *     no-memfd files in memory are refused
 *     kill-memfd such a file ends the process that asks for it
 *     no-read  memory of processes cannot be read by process_vm_readv
 *     no-prctl prctl is refused, by which a thread has its name
 *
 * PROGRAM may be this one again, with another mode.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

static int install(struct sock_filter *steps, size_t count) {
    struct sock_fprog program = {count, steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

static int filter(unsigned call, unsigned action) {
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    return install(steps, sizeof steps / sizeof *steps);
}

/* Calls whose third argument asks for executable memory; if there are flags, and whose fourth one has some of them. */
static int filter_code(unsigned call, unsigned flags, unsigned action) {
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 5),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[3])),
        BPF_JUMP(BPF_JMP | (flags ? BPF_JSET : BPF_JGE) | BPF_K, flags, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    return install(steps, sizeof steps / sizeof *steps);
}

int main(int count, char **words) {
    int failed = -1;
    if (count > 2 && !strcmp(words[1], "mdwe"))
        failed = prctl(PR_SET_MDWE, 1L, 0L, 0L, 0L);
    if (count > 2 && !strcmp(words[1], "refuse"))
        failed = filter(SYS_membarrier, SECCOMP_RET_ERRNO | EPERM);
    if (count > 2 && !strcmp(words[1], "kill"))
        failed = filter(SYS_membarrier, SECCOMP_RET_KILL_PROCESS);
    if (count > 2 && !strcmp(words[1], "files"))
        failed = filter(SYS_close_range, SECCOMP_RET_ERRNO | EPERM);
    if (count > 2 && !strcmp(words[1], "no-change"))
        failed = filter_code(SYS_mprotect, 0, SECCOMP_RET_ERRNO | EPERM);
    if (count > 2 && !strcmp(words[1], "no-code"))
        failed = filter_code(SYS_mmap, MAP_ANONYMOUS, SECCOMP_RET_ERRNO | EACCES);
    if (count > 2 && !strcmp(words[1], "kill-code"))
        failed = filter_code(SYS_mmap, MAP_ANONYMOUS, SECCOMP_RET_KILL_PROCESS);
    if (count > 2 && !strcmp(words[1], "no-memfd"))
        failed = filter(SYS_memfd_create, SECCOMP_RET_ERRNO | EPERM);
    if (count > 2 && !strcmp(words[1], "kill-memfd"))
        failed = filter(SYS_memfd_create, SECCOMP_RET_KILL_PROCESS);
    if (count > 2 && !strcmp(words[1], "no-read"))
        failed = filter(SYS_process_vm_readv, SECCOMP_RET_ERRNO | EPERM);
    if (count > 2 && !strcmp(words[1], "no-prctl"))
        failed = filter(SYS_prctl, SECCOMP_RET_ERRNO | EPERM);
    if (!failed)
        execv(words[2], words + 2);
    perror(words[1]);
    return 77;
}
