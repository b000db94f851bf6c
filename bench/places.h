/* 64 places in the code: EACH(MACRO, ...) expands to MACRO(layout, ...) for each layout from 0 to 63. */
#ifndef PLACES_H
#define PLACES_H

/* In octal, as two digits make 64. */
#define EIGHT(macro, digit, ...)                                                           \
    macro(0##digit##0, __VA_ARGS__) macro(0##digit##1, __VA_ARGS__)                        \
    macro(0##digit##2, __VA_ARGS__) macro(0##digit##3, __VA_ARGS__)                        \
    macro(0##digit##4, __VA_ARGS__) macro(0##digit##5, __VA_ARGS__)                        \
    macro(0##digit##6, __VA_ARGS__) macro(0##digit##7, __VA_ARGS__)
#define EACH(macro, ...)                                                                   \
    EIGHT(macro, 0, __VA_ARGS__) EIGHT(macro, 1, __VA_ARGS__) EIGHT(macro, 2, __VA_ARGS__) \
    EIGHT(macro, 3, __VA_ARGS__) EIGHT(macro, 4, __VA_ARGS__) EIGHT(macro, 5, __VA_ARGS__) \
    EIGHT(macro, 6, __VA_ARGS__) EIGHT(macro, 7, __VA_ARGS__)

/* Moves what follows by so many bytes. */
#define MOVED(layout) __asm__ volatile(".rept %c0\n\tnop\n\t.endr" ::"i"(layout))

#endif
