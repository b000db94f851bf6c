/* One of the files that the experiment build.toml compiles: uses the others. */
#include <stdio.h>
#include <stddef.h>

void heap_sort(int *v, size_t n);
void quick_sort(int *v, size_t n);
unsigned count_word(const char *word);

int main(void) {
    static int a[100000], b[100000];
    unsigned state = 1;
    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        a[i] = b[i] = (int)((state = state * 1664525u + 1013904223u) >> 8);
    heap_sort(a, sizeof a / sizeof *a);
    quick_sort(b, sizeof b / sizeof *b);
    unsigned words = 0;
    char word[16];
    for (int i = 0; i < 100000; i++) {
        snprintf(word, sizeof word, "w%d", i % 1000);
        words += count_word(word);
    }
    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        if (a[i] != b[i]) return 1;
    printf("%d %u\n", a[0], words);
    return 0;
}
