/* A command that has events of this process judged by others. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdint.h>

#include "chains.h"

/* A command under way, and what it prints. */
struct asked {
    int pid, output;
    uint64_t started;
};

/* Starts it: FILTERS_ASK HOW PROBE EXPRESSION PID. */
struct asked ask(const char *how, enum probe probe, const char *expression);

/* What it printed, when it has ended, until the next one; if it failed, this program does, too. */
const char *answer(struct asked *asked);

/* A number behind a name in quotes and a colon. */
uint64_t number_of(const char *answer, const char *name);

/* The chain as an expression of the filter language, until the next one. */
const char *expression_of(const struct chain *chain);

uint64_t now_ns(void);

#endif
