/* One of the files that the experiment build.toml compiles: a hash table of words. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 4096

struct entry { struct entry *next; unsigned count; char word[]; };
static struct entry *slots[SLOTS];

static uint64_t hash(const char *s) {
    uint64_t h = 14695981039346656037u;
    while (*s) h = (h ^ (unsigned char)*s++) * 1099511628211u;
    return h;
}

unsigned count_word(const char *word) {
    struct entry **slot = &slots[hash(word) % SLOTS];
    for (struct entry *e = *slot; e; e = e->next)
        if (strcmp(e->word, word) == 0) return ++e->count;
    size_t length = strlen(word) + 1;
    struct entry *e = malloc(sizeof *e + length);
    if (!e) abort();
    memcpy(e->word, word, length);
    e->count = 1;
    e->next = *slot;
    *slot = e;
    return 1;
}
