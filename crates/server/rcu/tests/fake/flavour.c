// A small RCU with membarrier under the names of one of liburcu's flavours, FLAVOUR. Its name need not be what it is.
//
// COMMAND    the command of membarrier that it calls
// HANDLER    installs a handler of SIGUSR1, as signal does, and never sends the signal
// ELSEWHERE  has the reader's counter behind another word
// HASTY      ends grace periods at once
// DEAF       never hears that a section has ended
// MUTE       sends a signal that does not exist
// TIRED      calls membarrier a hundred times, and executes a barrier of its own later
// FLAGS      flags of membarrier: the kernel refuses some, and the library goes on
// INSTRUCTION calls membarrier by the instruction, not through libc
// SLOW       sleeps for a minute in the grace periods of threads called writer-0

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define JOINED(flavour, what) urcu_##flavour##_##what
#define CALLED(flavour, what) JOINED(flavour, what)
#define NAME(what) CALLED(FLAVOUR, what)

#ifndef FLAGS
#define FLAGS 0
#endif
#ifndef COMMAND
#define COMMAND MEMBARRIER_CMD_PRIVATE_EXPEDITED
#endif

#define NEST 0xfffffffful
#define PHASE (NEST + 1)

struct {
    unsigned long ctr;
    int32_t futex;
} NAME(gp) = {.ctr = 1};

struct reader {
#ifdef ELSEWHERE
    unsigned long other;
#endif
    unsigned long ctr;
    struct reader *next;
};

__thread struct reader NAME(reader);

static struct reader *readers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned long load(unsigned long *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static void store(unsigned long *word, unsigned long value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

static void light(void) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

#ifdef HANDLER
static void handler(int number, siginfo_t *info, void *context) { (void)number, (void)info, (void)context; }
#endif

__attribute__((constructor)) static void begin(void) {
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0);
#ifdef HANDLER
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
#endif
}

void NAME(register_thread)(void) {
    pthread_mutex_lock(&lock);
    NAME(reader).next = readers;
    readers = &NAME(reader);
    pthread_mutex_unlock(&lock);
}

void NAME(unregister_thread)(void) {
    pthread_mutex_lock(&lock);
    for (struct reader **each = &readers; *each; each = &(*each)->next)
        if (*each == &NAME(reader)) {
            *each = (*each)->next;
            break;
        }
    pthread_mutex_unlock(&lock);
}

void NAME(read_lock)(void) {
    unsigned long own = load(&NAME(reader).ctr);
    store(&NAME(reader).ctr, own & NEST ? own + 1 : load(&NAME(gp).ctr));
    light();
}

void NAME(read_unlock)(void) {
    light();
    store(&NAME(reader).ctr, load(&NAME(reader).ctr) - 1);
    light();
    if (__atomic_load_n(&NAME(gp).futex, __ATOMIC_RELAXED) == -1) {
        __atomic_store_n(&NAME(gp).futex, 0, __ATOMIC_RELAXED);
        syscall(SYS_futex, &NAME(gp).futex, FUTEX_WAKE, 1, NULL, NULL, 0);
    }
}

int NAME(read_ongoing)(void) { return load(&NAME(reader).ctr) & NEST; }

#ifndef HASTY
static void heavy(void) {
#ifdef TIRED
    static int calls;
    if (++calls > 100) {
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        return;
    }
#endif
#ifdef INSTRUCTION
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_membarrier), "D"(COMMAND), "S"(0), "d"(0)
                     : "rcx", "r11", "memory");
#else
    syscall(SYS_membarrier, COMMAND, FLAGS, 0);
#endif
}

static int is_open(struct reader *reader) {
#ifdef MUTE
    pthread_kill(pthread_self(), 777);
#endif
#ifdef DEAF
    (void)reader;
    return readers != NULL;
#else
    unsigned long own = load(&reader->ctr);
    return (own & NEST) && ((own ^ NAME(gp).ctr) & PHASE);
#endif
}

static void wait_for_readers(void) {
    for (struct reader *each = readers; each; each = each->next)
        while (is_open(each)) {
            __atomic_store_n(&NAME(gp).futex, -1, __ATOMIC_RELAXED);
            heavy();
            if (is_open(each)) syscall(SYS_futex, &NAME(gp).futex, FUTEX_WAIT, -1, NULL, NULL, 0);
        }
    __atomic_store_n(&NAME(gp).futex, 0, __ATOMIC_RELAXED);
}
#endif

void NAME(synchronize_rcu)(void) {
#ifdef SLOW
    char name[16];
    if (!prctl(PR_GET_NAME, name) && !strcmp(name, "writer-0")) sleep(60);
#endif
#ifndef HASTY
    pthread_mutex_lock(&lock);
    heavy();
    wait_for_readers();
    store(&NAME(gp).ctr, NAME(gp).ctr ^ PHASE);
    wait_for_readers();
    heavy();
    pthread_mutex_unlock(&lock);
#endif
}
