/* Probes with names of their own, one that is at several places, and values that are shown in a special way. */
#include <perflab/probe.h>

#define EACH(F) F(a) F(b) F(c) F(d) F(e) F(f) F(g) F(h) F(i) F(j) F(k) F(l) F(m) F(n) F(o) F(p) F(q) F(r) F(s) F(t) F(u)
#define HIT(name) PERFLAB_PROBE(many, name, (i32, x, 1));

int main(void) {
    for (int i = 0; i < 10; i++) {
        PERFLAB_PROBE(life, shared, (i32, x, i));
        if (i % 2)
            PERFLAB_PROBE(life, shared, (i32, x, i));
        else
            PERFLAB_PROBE(life, shared, (i32, x, i));
    }
    PERFLAB_PROBE(life, never, (i32, x, 1));
    PERFLAB_PROBE(life, special, (bytes, none, (const char *)0, 0), (bytes, empty, "", 0), (str, five, (const char *)0, 5),
                  (cstr, turned, "a\xe2\x80\xae" "b\xe2\x81\xa7" "c\xd8\x9c"), (f64, least, 5e-324), (f64, half, 0.5),
                  (cstr, slash, "x\\ny"), (cstr, line, "x\ny"));
    EACH(HIT)
    return 0;
}
