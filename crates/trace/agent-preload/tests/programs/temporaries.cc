// Probes with texts of objects that end with the expression that they are in.
#include <perflab/probe.h>

#include <cstdio>
#include <cstring>

namespace {

struct name {
    char text[8];
    name() { std::memcpy(text, "alive", 6); }
    name(const name &) = default;
    ~name() {
        for (volatile char *letter = text; *letter; letter++)
            *letter = '#';
    }
    const char *c_str() const { return text; }
};

__attribute__((noinline)) name made() { return name(); }

template <class type> void work(type number) {
    PERFLAB_PROBE(temporaries, work, (cstr, name, made().c_str()), (i32, number, number), (str, text, made().c_str(), 5));
}

} // namespace

int main() {
    char line[8];
    std::puts("ready");
    std::fflush(stdout);
    if (!std::fgets(line, sizeof line, stdin))
        return 1;
    for (int i = 0; i < 3; i++) {
        work(i);
        [] { PERFLAB_PROBE(temporaries, lambda, (bytes_nofault, text, made().c_str(), 5)); }();
    }
    std::puts("done");
    std::fflush(stdout);
    return std::fgets(line, sizeof line, stdin) ? 0 : 1;
}
