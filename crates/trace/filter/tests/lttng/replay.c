/* Hits tracepoints of LTTng-UST with the events of a file. A line has the number of the tracepoint, that of the event,
 * the name of the thread in hexadecimal digits, or `-` for that of the program, and a word for each field:
 *
 *     iDIGITS  an integer          dDIGITS  the bits of a double
 *     tDIGITS  the bytes of a text nNUMBER  a null pointer with a length
 *
 * `scripts/prove-lttng` writes cases.h, the tracepoints, and numbers.h, a CASE(NUMBER) for each. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

struct value {
    uint64_t word;
    double real;
    const char *text;
    size_t length;
};

#define TRACEPOINT_DEFINE
#define TRACEPOINT_CREATE_PROBES
#include "cases.h"

typedef void hit(uint32_t number, const struct value *values);

#define CASE(n)                                                                            \
    static void hit_##n(uint32_t number, const struct value *values) {                     \
        tracepoint(filters, c##n, number, values);                                         \
    }
#include "numbers.h"
#undef CASE
#define CASE(n) hit_##n,
static hit *const hits[] = {
#include "numbers.h"
};

enum { FIELDS = 16, ROOM = 1 << 16 };

struct event {
    hit *hit;
    uint32_t number;
    const char *thread;
    struct value values[FIELDS];
};

/* Of the texts of one event. */
static char memory[ROOM];
static size_t used;

static void fail(const char *what) {
    fprintf(stderr, "replay: %s\n", what);
    exit(1);
}

static unsigned digit(char c) { return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10; }

/* Zeros are behind each text: LTTng compares an index in bytes with a length in bits, so it reads what is there. */
static struct value text(const char *digits) {
    size_t length = strlen(digits) / 2, room = 8 * length + 1;
    if (room > ROOM - used)
        fail("the texts of an event have no room");
    char *bytes = memory + used;
    used += room;
    for (size_t i = 0; i < length; i++)
        bytes[i] = (char)(digit(digits[2 * i]) << 4 | digit(digits[2 * i + 1]));
    return (struct value){.text = bytes, .length = length};
}

static struct value value(const char *word) {
    union {
        uint64_t bits;
        double real;
    } both;
    switch (word[0]) {
    case 'i':
        return (struct value){.word = strtoull(word + 1, NULL, 16)};
    case 'd':
        both.bits = strtoull(word + 1, NULL, 16);
        return (struct value){.real = both.real};
    case 'n':
        return (struct value){.length = strtoull(word + 1, NULL, 10)};
    default:
        return text(word + 1);
    }
}

static const char *next(char **rest) {
    const char *word = strtok_r(NULL, " \n", rest);
    if (!word)
        fail("a line is too short");
    return word;
}

static struct event read_event(char *line) {
    char *rest;
    const char *first = strtok_r(line, " \n", &rest);
    size_t place = first ? strtoull(first, NULL, 10) : SIZE_MAX;
    if (place >= sizeof hits / sizeof *hits)
        fail("there is no such tracepoint");
    memset(memory, 0, used);
    used = 0;
    struct event event = {.hit = hits[place], .number = (uint32_t)strtoul(next(&rest), NULL, 10)};
    const char *thread = next(&rest), *word;
    if (strcmp(thread, "-") != 0)
        event.thread = text(thread).text;
    for (int i = 0; (word = strtok_r(NULL, " \n", &rest)); i++) {
        if (i == FIELDS)
            fail("an event has too many fields");
        event.values[i] = value(word);
    }
    return event;
}

/* LTTng asks for the name of a thread once. */
static void *in_thread(void *data) {
    const struct event *event = data;
    prctl(PR_SET_NAME, event->thread);
    event->hit(event->number, event->values);
    return NULL;
}

int main(int argc, char **argv) {
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    char *line = NULL;
    size_t size = 0;
    if (!file)
        fail("expected a file of events");
    while (getline(&line, &size, file) > 0) {
        struct event event = read_event(line);
        pthread_t thread;
        if (!event.thread)
            event.hit(event.number, event.values);
        else if (pthread_create(&thread, NULL, in_thread, &event) || pthread_join(thread, NULL))
            fail("no thread could be made");
    }
    return 0;
}
