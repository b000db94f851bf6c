/* Loops that hit a probe each. The assembler's symbol PAD says how many bytes all of them are moved by. */
#include "chains.h"

#ifdef LTTNG
#define TRACEPOINT_DEFINE
#define TRACEPOINT_CREATE_PROBES
#include "lttng.h"
#else
#include <perflab/probe.h>
#endif

#define NOINLINE __attribute__((noinline))

/* What a site does that is on lies with what is seldom executed. */
__asm__(".text\n\t.balign 64\n\t.skip PAD, 0xcc\n\t"
        ".section .text.unlikely,\"ax\",@progbits\n\t.balign 64\n\t.skip PAD, 0xcc\n\t.text");

#ifdef LTTNG

static NOINLINE void hit_nine(uint64_t times) {
    for (; times; times--)
        tracepoint(filters, nine, texts[0], texts[1], texts[2], texts[3], texts[4], texts[5],
                   texts[6], texts[7], texts[8]);
}

static NOINLINE void hit_pair(uint64_t times) {
    for (; times; times--)
        tracepoint(filters, pair, 1, times);
}

/* A tracepoint has at most ten arguments. */
static void (*const loops[PROBES])(uint64_t times) = {[NINE] = hit_nine, [PAIR] = hit_pair};

#else

static NOINLINE void hit_texts(uint64_t times) {
    for (; times; times--)
        PERFLAB_PROBE(filters, texts,
                      (cstr, t0, texts[0]), (cstr, t1, texts[1]), (cstr, t2, texts[2]),
                      (cstr, t3, texts[3]), (cstr, t4, texts[4]), (cstr, t5, texts[5]),
                      (cstr, t6, texts[6]), (cstr, t7, texts[7]), (cstr, t8, texts[8]),
                      (cstr, t9, texts[9]), (cstr, t10, texts[10]), (cstr, t11, texts[11]),
                      (cstr, t12, texts[12]), (cstr, t13, texts[13]),
                      (cstr, t14, texts[14]), (cstr, t15, texts[15]),
                      (cstr, t16, texts[16]), (cstr, t17, texts[17]),
                      (cstr, t18, texts[18]), (cstr, t19, texts[19]),
                      (cstr, t20, texts[20]), (cstr, t21, texts[21]),
                      (cstr, t22, texts[22]), (cstr, t23, texts[23]),
                      (cstr, t24, texts[24]), (cstr, t25, texts[25]),
                      (cstr, t26, texts[26]), (cstr, t27, texts[27]),
                      (cstr, t28, texts[28]), (cstr, t29, texts[29]),
                      (cstr, t30, texts[30]), (cstr, t31, texts[31]),
                      (cstr, t32, texts[32]), (cstr, t33, texts[33]),
                      (cstr, t34, texts[34]), (cstr, t35, texts[35]),
                      (cstr, t36, texts[36]), (cstr, t37, texts[37]),
                      (cstr, t38, texts[38]), (cstr, t39, texts[39]),
                      (cstr, t40, texts[40]), (cstr, t41, texts[41]),
                      (cstr, t42, texts[42]), (cstr, t43, texts[43]),
                      (cstr, t44, texts[44]), (cstr, t45, texts[45]),
                      (cstr, t46, texts[46]), (cstr, t47, texts[47]),
                      (cstr, t48, texts[48]), (cstr, t49, texts[49]));
}

static NOINLINE void hit_integers(uint64_t times) {
    for (; times; times--)
        PERFLAB_PROBE(filters, integers,
                      (i64, n0, integers[0]), (i64, n1, integers[1]),
                      (i64, n2, integers[2]), (i64, n3, integers[3]),
                      (i64, n4, integers[4]), (i64, n5, integers[5]),
                      (i64, n6, integers[6]), (i64, n7, integers[7]),
                      (i64, n8, integers[8]), (i64, n9, integers[9]),
                      (i64, n10, integers[10]), (i64, n11, integers[11]),
                      (i64, n12, integers[12]), (i64, n13, integers[13]),
                      (i64, n14, integers[14]), (i64, n15, integers[15]),
                      (i64, n16, integers[16]), (i64, n17, integers[17]),
                      (i64, n18, integers[18]), (i64, n19, integers[19]),
                      (i64, n20, integers[20]), (i64, n21, integers[21]),
                      (i64, n22, integers[22]), (i64, n23, integers[23]),
                      (i64, n24, integers[24]), (i64, n25, integers[25]),
                      (i64, n26, integers[26]), (i64, n27, integers[27]),
                      (i64, n28, integers[28]), (i64, n29, integers[29]),
                      (i64, n30, integers[30]), (i64, n31, integers[31]),
                      (i64, n32, integers[32]), (i64, n33, integers[33]),
                      (i64, n34, integers[34]), (i64, n35, integers[35]),
                      (i64, n36, integers[36]), (i64, n37, integers[37]),
                      (i64, n38, integers[38]), (i64, n39, integers[39]),
                      (i64, n40, integers[40]), (i64, n41, integers[41]),
                      (i64, n42, integers[42]), (i64, n43, integers[43]),
                      (i64, n44, integers[44]), (i64, n45, integers[45]),
                      (i64, n46, integers[46]), (i64, n47, integers[47]),
                      (i64, n48, integers[48]), (i64, n49, integers[49]));
}

static NOINLINE void hit_mixed(uint64_t times) {
    for (; times; times--)
        PERFLAB_PROBE(filters, mixed,
                      (cstr, t0, texts[0]), (i64, n1, integers[1]), (cstr, t2, texts[2]),
                      (i64, n3, integers[3]), (cstr, t4, texts[4]), (i64, n5, integers[5]),
                      (cstr, t6, texts[6]), (i64, n7, integers[7]), (cstr, t8, texts[8]),
                      (i64, n9, integers[9]), (cstr, t10, texts[10]),
                      (i64, n11, integers[11]), (cstr, t12, texts[12]),
                      (i64, n13, integers[13]), (cstr, t14, texts[14]),
                      (i64, n15, integers[15]), (cstr, t16, texts[16]),
                      (i64, n17, integers[17]), (cstr, t18, texts[18]),
                      (i64, n19, integers[19]), (cstr, t20, texts[20]),
                      (i64, n21, integers[21]), (cstr, t22, texts[22]),
                      (i64, n23, integers[23]), (cstr, t24, texts[24]),
                      (i64, n25, integers[25]), (cstr, t26, texts[26]),
                      (i64, n27, integers[27]), (cstr, t28, texts[28]),
                      (i64, n29, integers[29]), (cstr, t30, texts[30]),
                      (i64, n31, integers[31]), (cstr, t32, texts[32]),
                      (i64, n33, integers[33]), (cstr, t34, texts[34]),
                      (i64, n35, integers[35]), (cstr, t36, texts[36]),
                      (i64, n37, integers[37]), (cstr, t38, texts[38]),
                      (i64, n39, integers[39]), (cstr, t40, texts[40]),
                      (i64, n41, integers[41]), (cstr, t42, texts[42]),
                      (i64, n43, integers[43]), (cstr, t44, texts[44]),
                      (i64, n45, integers[45]), (cstr, t46, texts[46]),
                      (i64, n47, integers[47]), (cstr, t48, texts[48]),
                      (i64, n49, integers[49]));
}

static NOINLINE void hit_nine(uint64_t times) {
    for (; times; times--)
        PERFLAB_PROBE(filters, nine,
                      (cstr, t0, texts[0]), (cstr, t1, texts[1]), (cstr, t2, texts[2]),
                      (cstr, t3, texts[3]), (cstr, t4, texts[4]), (cstr, t5, texts[5]),
                      (cstr, t6, texts[6]), (cstr, t7, texts[7]), (cstr, t8, texts[8]));
}

static NOINLINE void hit_pair(uint64_t times) {
    for (; times; times--)
        PERFLAB_PROBE(filters, pair, (u64, a, 1), (u64, b, times));
}

static void (*const loops[PROBES])(uint64_t times) = {hit_texts, hit_integers, hit_mixed, hit_nine, hit_pair};

#endif

void hit(enum probe probe, uint64_t times) { loops[probe](times); }
