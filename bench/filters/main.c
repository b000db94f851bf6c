/* Prints what chains of comparisons cost: ns per event, less those of an event that is accepted or rejected without
 * any; and what a whole event costs, and how soon a filter judges.
 *
 *     NAME charts   all but the following
 *     NAME events   1, 10 and 100 million events
 *
 * What this program is linked with judges: chains.c, rbpf.c, or asked.c. FILTERS_PARTS says which parts are measured:
 * letters of `c` (all charts), `t` (those of texts that LTTng can have), `a` (texts with AND only), `w` (whole
 * events), `r` (how soon), `h` (a hundred million events, too). */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "chains.h"

const char *const probe_names[PROBES] = {"texts", "integers", "mixed", "nine", "pair"};
static const char *const kinds[] = {"text", "integer", "mixed"};
static const char *const operators[] = {"and", "or"};
static const int counts[] = {1, 5, 9, 10, 20, 40, 50};
enum { COUNTS = sizeof counts / sizeof *counts };

const char *texts[FIELDS];
int64_t integers[FIELDS];

/* Events of a chart's point, and the stretches that they are divided into: the shortest counts. */
enum { EVENTS = 1000000, STRETCHES = 50 };

static int has(char part) { return strchr(getenv("FILTERS_PARTS"), part) != NULL; }

/* A chain finds field `i` as it is to be, or not: a text differs in its last letter. */
static void set_field(int i, int is_right) {
    char text[32];
    snprintf(text, sizeof text, "argument-num-%02d", i);
    if (!is_right)
        text[14] = 'x';
    strcpy((char *)texts[i], text);
    integers[i] = INTEGER(i) + !is_right;
}

/* The next event passes all comparisons but one, or only one. */
static void set_event(int others_are_right, int one, int one_is_right) {
    for (int i = 0; i < FIELDS; i++)
        set_field(i, i == one ? one_is_right : others_are_right);
}

/* ns of an event. */
static double cost(enum probe probe) {
    enum { EACH = EVENTS / STRETCHES };
    double least = 1e99;
    for (int i = 0; i < STRETCHES; i++) {
        uint64_t start = now_ns();
        hit(probe, EACH);
        double each = (double)(now_ns() - start) / EACH;
        if (each < least)
            least = each;
    }
    return least;
}

/* Ends the program if a chain does not say so of the event. */
static void check(const struct chain *chain, int is_accepted) {
    judge(chain, COUNT);
    uint64_t before = accepted_of(chain->probe);
    hit(chain->probe, 1);
    if (accepted_of(chain->probe) - before == (uint64_t)is_accepted)
        return;
    fprintf(stderr, "an event of %s is not %s by %s\n", probe_names[chain->probe],
            is_accepted ? "accepted" : "rejected", expression_of(chain));
    exit(1);
}

/* ns of an event that a chain judges. */
static double judged(const struct chain *chain, int is_accepted) {
    check(chain, is_accepted);
    judge(chain, NOTHING);
    return cost(chain->probe);
}

/* The same where nothing is compared. */
static double unjudged(enum probe probe, int is_accepted) {
    struct chain chain = {probe, AND, is_accepted ? ACCEPTS_ALL : REJECTS_ALL};
    return judged(&chain, is_accepted);
}

/* By the number of comparisons: all have to be made, and the event is accepted. */
static void by_number(enum probe probe, enum operator operator) {
    double empty = unjudged(probe, 1);
    for (int i = 0; i < COUNTS; i++) {
        struct chain chain = {probe, operator, counts[i]};
        set_event(operator == AND, counts[i] - 1, 1);
        printf("VALUE %.4f ns evaluation %s-%s/%d\n", judged(&chain, 1) - empty, kinds[probe],
               operators[operator], counts[i]);
    }
}

/* By the number of the comparison that decides, of fifty: the first that fails, or that holds. */
static void by_depth(enum probe probe, enum operator operator) {
    int is_accepted = operator == OR;
    double empty = unjudged(probe, is_accepted);
    struct chain chain = {probe, operator, FIELDS};
    for (int depth = 5; depth <= 40; depth += 5) {
        set_event(!is_accepted, depth - 1, is_accepted);
        printf("VALUE %.4f ns evaluation %s-depth-%s/%d\n", judged(&chain, is_accepted) - empty,
               kinds[probe], operators[operator], depth);
    }
}

static void charts(void) {
    for (enum probe probe = TEXTS; probe <= MIXED; probe++)
        for (enum operator operator = AND; operator <= OR; operator++) {
            if (!has('c') && (probe != TEXTS || operator != AND))
                continue;
            by_number(probe, operator);
            if (has('c'))
                by_depth(probe, operator);
        }
}

/* Of LTTng, which evaluates a filter only where it would record: less what recording takes. */
static void charts_of_recorded(void) {
    judge_nothing(NINE, RECORD);
    double empty = cost(NINE);
    for (enum operator operator = AND; operator <= OR; operator++)
        for (int i = 0; counts[i] <= 9; i++) {
            struct chain chain = {NINE, operator, counts[i]};
            set_event(operator == AND, counts[i] - 1, 1);
            judge(&chain, RECORD);
            printf("VALUE %.4f ns evaluation text-%s/%d\n", cost(NINE) - empty, operators[operator],
                   counts[i]);
            /* A filter that LTTng has not linked costs little. */
            check_recorded(NINE, 1);
        }
}

/* Whole events: with two integers, counted, or rejected by the first; and with nine texts. LTTng does not count events,
 * it records them. */
static void whole_events(void) {
    enum then then = has('t') ? RECORD : COUNT;
    judge_nothing(PAIR, then);
    printf("VALUE %.4f ns event integer/0\n", cost(PAIR));
    struct chain chain = {PAIR, AND, 1};
    judge(&chain, then);
    printf("VALUE %.4f ns event integer/1\n", cost(PAIR));
    if (then == RECORD)
        check_recorded(PAIR, 0);

    judge_nothing(NINE, RECORD);
    printf("VALUE %.4f ns event recorded/0\n", cost(NINE));
    check_recorded(NINE, 1);
    for (int i = 0; counts[i] <= 9; i++) {
        struct chain accepting = {NINE, AND, counts[i]};
        set_event(1, 0, 1);
        if (then == COUNT)
            check(&accepting, 1);
        judge(&accepting, RECORD);
        printf("VALUE %.4f ns event recorded/%d\n", cost(NINE), counts[i]);
    }
    check_recorded(NINE, 1);
    for (int i = 0; counts[i] <= 9; i++) {
        struct chain rejecting = {NINE, AND, 9};
        set_event(1, counts[i] - 1, 0);
        if (then == COUNT)
            check(&rejecting, 0);
        judge(&rejecting, RECORD);
        printf("VALUE %.4f ns event rejected/%d\n", cost(NINE), counts[i]);
    }
    check_recorded(NINE, 0);
}

/* From the parsed expression to the first event that the filter accepts, while events come all the time; and its
 * memory. */
static void readiness(void) {
    for (int i = 0; i < COUNTS; i++) {
        struct chain nothing = {TEXTS, AND, REJECTS_ALL}, chain = {TEXTS, AND, counts[i]};
        set_event(1, 0, 1);
        check(&nothing, 0);
        uint64_t before = accepted_of(TEXTS);
        struct asked asked = ask("count", TEXTS, expression_of(&chain));
        uint64_t limit = asked.started + 10000000000;
        while (accepted_of(TEXTS) == before && now_ns() < limit)
            hit(TEXTS, 1);
        uint64_t first = now_ns();
        const char *said = answer(&asked);
        if (first >= limit) {
            fprintf(stderr, "no event was accepted within 10 s: %s\n", said);
            exit(1);
        }
        uint64_t parsed = number_of(said, "parsed_at_ns");
        uint64_t here = number_of(said, "check_ns") + number_of(said, "compile_ns") +
                        number_of(said, "encode_ns");
        uint64_t there = number_of(said, "verify_ns") + number_of(said, "emit_ns") +
                         number_of(said, "publish_ns");
        const double us = 1e-3;
        printf("VALUE %.3f us ready ready/%d\n", (double)(first - parsed) * us, counts[i]);
        printf("VALUE %.3f us ready ready-laboratory/%d\n", (double)here * us, counts[i]);
        printf("VALUE %.3f us ready ready-agent/%d\n", (double)there * us, counts[i]);
        printf("VALUE %.3f us ready ready-start/%d\n", (double)(parsed - asked.started) * us,
               counts[i]);
        printf("VALUE %llu bytes memory memory/%d\n",
               (unsigned long long)(number_of(said, "code_bytes") + number_of(said, "kept_bytes")),
               counts[i]);
    }
}

/* One, ten and a hundred million events that pass fifty comparisons. */
static void by_events(void) {
    struct chain chain = {TEXTS, AND, FIELDS};
    set_event(1, 0, 1);
    double empty = unjudged(TEXTS, 1);
    check(&chain, 1);
    judge(&chain, NOTHING);
    for (uint64_t events = 1000000; events <= (has('h') ? 100000000 : 1000000); events *= 10) {
        uint64_t start = now_ns();
        hit(TEXTS, events);
        double each = (double)(now_ns() - start) / (double)events;
        printf("VALUE %.4f ns evaluation events/%llu\n", each - empty, (unsigned long long)events);
    }
}

/* Threads that came before main, as an agent's, are on any processor. */
static void stay_on_one_processor(void) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(atoi(getenv("FILTERS_CPU")), &one);
    sched_setaffinity(0, sizeof one, &one);
}

int main(int argc, char **argv) {
    if (argc != 2 || !getenv("FILTERS_PARTS") || !getenv("FILTERS_CPU")) {
        fprintf(stderr, "this is started by bench/filters/with\n");
        return 2;
    }
    stay_on_one_processor();
    /* Each text where the allocator puts it, as those of a program; but none at the beginning of
     * a page, where all forms but strcmp go another way: what else an arm has allocated must not
     * decide that. */
    for (int i = 0; i < FIELDS; i++)
        do
            texts[i] = malloc(16);
        while ((uintptr_t)texts[i] % 4096 == 0);
    set_event(1, 0, 1);
    if (strcmp(argv[1], "events") == 0) {
        by_events();
        return 0;
    }
    if (has('c') || has('a'))
        charts();
    if (has('t'))
        charts_of_recorded();
    if (has('w'))
        whole_events();
    if (has('r'))
        readiness();
    return 0;
}
