/* Probes with texts that are not there: null pointers, and addresses that nothing can be read at. */
#define _GNU_SOURCE
#include <perflab/probe.h>

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

int main(void) {
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + 4096, 4096, PROT_NONE))
        return 2;
    char *end = pages + 4096;
    memset(end - 3, 'x', 3);
    PERFLAB_PROBE(pointers, null, (str, text, NULL, 5), (bytes, data, NULL, 200), (cstr, none, NULL), (str, empty, NULL, 0));
    errno = 7;
    PERFLAB_PROBE(pointers, bad, (cstr_nofault, low, (const char *)8), (str_nofault, high, (const char *)-4096, 5),
                  (cstr_nofault, good, "good"), (bytes_nofault, part, "whole", 3), (cstr_nofault, null, NULL));
    PERFLAB_PROBE(pointers, end, (cstr_nofault, open, end - 3), (str_nofault, more, end - 3, 4));
    PERFLAB_PROBE(pointers, good, (i32, number, errno), (cstr_nofault, text, "fifteen letters"),
                  (str_nofault, part, end - 3, 3));
    /* Of the last letter that is kept, the second byte is not. */
    char long_text[200];
    memset(long_text, 'x', sizeof long_text);
    memcpy(long_text + 127, "\xc3\xa9", 2);
    long_text[150] = 0;
    PERFLAB_PROBE(pointers, cut, (cstr, text, long_text), (bytes, data, long_text + 127, 1));
    return errno == 7 ? 0 : 3;
}
