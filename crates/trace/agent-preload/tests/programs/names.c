/*
 * Sites whose names are macros, in C and C++: of systems (`errno`, `linux`, `unix`), of the program, and those that the
 * header itself might use. Says how often it executed each, then waits.
 */
#define u8 unsigned char
#define i32 int
#define cstr char *
#define sites 1
#define at 2
#define bits 3
#define cold 4
#define counter 5
#define e 6
#define enabled 7
#define handler 8
#define hits 9
#define left 10
#define letter 11
#define line 12
#define map 13
#define number 14
#define off 15
#define on 16
#define pieces 17
#define point 18
#define text 19
#define type 20
#define unused __attribute__((unused))
#define value 21
#define version 22
#define w 23
#define word 24
#include <perflab/probe.h>
#undef bits
#undef value
#undef off
#undef w
#undef line
#undef counter
#undef e

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Not one name. */
#define key first, second

static int evaluated;

static int evaluate(void) {
    return ++evaluated;
}

int main(void) {
    const char *plain = "plain";
    const unsigned char *bytes = (const unsigned char *)plain;
    const signed char *letters = (const signed char *)plain;
    for (int i = 0; i < 100; i++) {
        PERFLAB_PROBE(sites, größe, (i32, länge, i), (enum(A, B = 4, C = 5, D = 6, E = 7, F, G, H, I = 0x1f, unix), many, i));
        PERFLAB_PROBE(sites, linux);
        PERFLAB_PROBE(sites, errno, (i32, errno, errno), (u8, key, 3), (bool, unix, i & 1));
        PERFLAB_PROBE(sites, text, (cstr, u8, bytes), (cstr, cstr, letters), (cstr, word, plain), (str, str, bytes, 3),
                      (bytes, bytes, bytes, 2u), (cstr, null, NULL), (str, none, NULL, 0));
        PERFLAB_PROBE(sites, key, (enum(unix = 0, EINTR = 4), value, i), (ptr, point, &i), (f32, hits, 1.5f),
                      (f64, left, 2.5), (i64, once, evaluate()));
#ifdef __cplusplus
        PERFLAB_PROBE(sites, null, (cstr, null, nullptr));
#endif
#ifdef __cpp_char8_t
        PERFLAB_PROBE(sites, eight, (cstr, text, u8"x"));
#endif
    }
    printf("größe 100\nlinux 100\nerrno 100\ntext 100\nkey 100\n");
#ifdef __cplusplus
    printf("null 100\n");
#endif
#ifdef __cpp_char8_t
    printf("eight 100\n");
#endif
    fflush(stdout);
    return evaluated == 100 ? getchar() == 'x' : 3;
}
