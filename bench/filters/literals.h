/* Compares of texts with literals of fifteen letters. They read nothing that strcmp might not: all sixteen bytes at once
 * if these are on one page. */
#ifndef LITERALS_H
#define LITERALS_H

#include <stdint.h>
#include <string.h>

/* Texts that are null or may lie on two pages, as the code of a filter has it: a call that is hardly ever made. */
static __attribute__((noinline, cold, unused)) int slow(const char *text, const char *literal) {
    return text && strcmp(text, literal) == 0;
}

/* Whether sixteen bytes lie on one page that is not the one at null. */
static inline __attribute__((always_inline, unused)) int is_on_one_page(const char *text) {
    return (((uintptr_t)text + 15) & 0xff0) != 0;
}

/* Eight bytes of a text as a number: of a literal, and of one in memory. */
#define BYTE(text, at) ((uint64_t)(unsigned char)(text)[at] << 8 * ((at) % 8))
#define WORD(text, at)                                                                     \
    (BYTE(text, at) | BYTE(text, (at) + 1) | BYTE(text, (at) + 2) | BYTE(text, (at) + 3) | \
     BYTE(text, (at) + 4) | BYTE(text, (at) + 5) | BYTE(text, (at) + 6) | BYTE(text, (at) + 7))
static inline __attribute__((always_inline, unused)) uint64_t word(const char *text) {
    uint64_t value;
    memcpy(&value, text, sizeof value);
    return value;
}

#endif
