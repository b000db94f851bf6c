/* Judges events by filters that a command asks an agent, or LTTng, for. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program if events are not judged as is to be measured. */
static void check_mode(const char *answer) {
    const char *mode = getenv("FILTERS_MODE");
    if (mode && !strstr(answer, mode)) {
        fprintf(stderr, "expected \"%s\" in %s\n", mode, answer);
        exit(1);
    }
}

static const char *asked_for(const char *how, enum probe probe, const char *expression) {
    struct asked asked = ask(how, probe, expression);
    return answer(&asked);
}

void judge(const struct chain *chain, enum then then) {
    static const char *const how[] = {"judge", "count", "record"};
    const char *said = asked_for(how[then], chain->probe, expression_of(chain));
    if (then != RECORD)
        check_mode(said);
}

void judge_nothing(enum probe probe, enum then then) {
    asked_for(then == RECORD ? "recorded" : "counted", probe, "");
}

void check_recorded(enum probe probe, int some) {
    asked_for("check", probe, some ? "some" : "none");
}
