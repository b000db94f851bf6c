#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sites.h"

/* As perflab_abi::Site has it: distances, each from the field that holds it. */
struct site {
    uint16_t version, size, backend, flags;
    int64_t address, target, point, text, semaphore;
};
extern const struct site __start_perflab_sites[] __attribute__((visibility("hidden")));
extern const struct site __stop_perflab_sites[] __attribute__((visibility("hidden")));

#define AT(site, field) ((char *)&(site)->field + (site)->field)

/* The text of a site begins with the provider and the name, each on a line. */
static int is_of(const struct site *site, enum probe probe) {
    const char *name = strchr(AT(site, text), '\n') + 1;
    size_t length = strlen(probe_names[probe]);
    return strncmp(name, probe_names[probe], length) == 0 && name[length] == '\n';
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

struct perflab_point *point_of(enum probe probe) {
    for (const struct site *site = __start_perflab_sites; site < __stop_perflab_sites; site++)
        if (is_of(site, probe))
            return (struct perflab_point *)AT(site, point);
    fprintf(stderr, "there is no probe %s\n", probe_names[probe]);
    exit(1);
}

void switch_on(enum probe probe) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (const struct site *site = __start_perflab_sites; site < __stop_perflab_sites; site++) {
        if (!is_of(site, probe))
            continue;
        char *address = AT(site, address);
        char *pages = (char *)((uintptr_t)address & -page);
        size_t length = (size_t)(address + 5 - pages);
        int32_t distance = (int32_t)(AT(site, target) - (address + 5));
        if (mprotect(pages, length, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
            fail("mprotect");
        address[0] = (char)0xe9;
        memcpy(address + 1, &distance, sizeof distance);
        if (mprotect(pages, length, PROT_READ | PROT_EXEC) != 0)
            fail("mprotect");
    }
}
