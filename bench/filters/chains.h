/* What is measured: chains of comparisons, each of a field of its own, and the events that they judge. */
#ifndef CHAINS_H
#define CHAINS_H

#include <stdint.h>

enum { FIELDS = 50 };

/* Probes of events.c. The first three have FIELDS arguments of the kind that they are called after. */
enum probe { TEXTS, INTEGERS, MIXED, NINE, PAIR, PROBES };
extern const char *const probe_names[PROBES];

enum operator { AND, OR };

/* A chain over the first `count` arguments of a probe, from 1 to FIELDS; or one of these. */
enum { ACCEPTS_ALL = 0, REJECTS_ALL = -1 };
struct chain {
    enum probe probe;
    enum operator operator;
    int count;
};

/* What is done with events that are accepted. */
enum then { NOTHING, COUNT, RECORD };

/* The field of an event, and what a chain compares it with. */
#define TEXT(n) "argument-num-" #n
#define INTEGER(i) (INT64_C(1000003) * ((i) + 1))

/* Fields of the next event. */
extern const char *texts[FIELDS];
extern int64_t integers[FIELDS];

/* From now on the events of a probe are judged so. */
void judge(const struct chain *chain, enum then then);

/* From now on all of its events are counted or recorded. */
void judge_nothing(enum probe probe, enum then then);

/* Events of the probe that were accepted while they were counted. */
uint64_t accepted_of(enum probe probe);

/* Ends the program if not as many events of the probe are recorded as are to be, which is some or none. */
void check_recorded(enum probe probe, int some);

/* Makes events. */
void hit(enum probe probe, uint64_t times);

#endif
