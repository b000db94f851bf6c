/*
 * perflab/agent.h: starts the agent, which finds the program's probe sites and switches them.
 *
 * Only programs that LD_PRELOAD does not reach need this, as those that are linked statically. The library needs glibc:
 *
 *     cc -static program.c -L/usr/local/lib/perflab -lperflab_agent
 *
 * where `make install` put it; in a checkout it is target/release/libperflab_static.a.
 *
 * Others are started with an agent by `perflab trace on PROBES -- PROGRAM`. Where both is done, one agent serves.
 */
#ifndef PERFLAB_AGENT_H
#define PERFLAB_AGENT_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Starts the agent of this process: one thread, with all signals blocked. Call it from main, once. Probes that
 * the environment variable PERFLAB_PROBES names are on when it returns.
 *
 * Returns 0, or a number of errno.h:
 *
 *     EALREADY   there is an agent in this process already
 *     EPERM      the program runs with more rights than its user
 *     EIO        its socket or thread could not be made
 *
 * The program goes on as if it had no agent. With PERFLAB_AGENT_VERBOSE in the environment, the reason goes to
 * standard error.
 */
int perflab_agent_start(void);

#ifdef __cplusplus
}
#endif

#endif /* PERFLAB_AGENT_H */
