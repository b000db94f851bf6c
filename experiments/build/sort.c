/* One of the files that the experiment build.toml compiles: several ways to sort. */
#include <stddef.h>

static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }

void insertion_sort(int *v, size_t n) {
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0 && v[j - 1] > v[j]; j--) swap(&v[j - 1], &v[j]);
}

static void sift(int *v, size_t root, size_t n) {
    for (size_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && v[child] < v[child + 1]) child++;
        if (v[root] >= v[child]) return;
        swap(&v[root], &v[child]);
    }
}

void heap_sort(int *v, size_t n) {
    for (size_t i = n / 2; i-- > 0;) sift(v, i, n);
    for (size_t end = n; end-- > 1;) { swap(&v[0], &v[end]); sift(v, 0, end); }
}

void quick_sort(int *v, size_t n) {
    if (n < 16) { insertion_sort(v, n); return; }
    int pivot = v[n / 2];
    size_t i = 0, j = n - 1;
    for (;; i++, j--) {
        while (v[i] < pivot) i++;
        while (v[j] > pivot) j--;
        if (i >= j) break;
        swap(&v[i], &v[j]);
    }
    quick_sort(v, i);
    quick_sort(v + i, n - i);
}
