/* As life, but killed when its agent removes a ring that no thread has: in the middle of letting a recorder go. */
#include "life.c"

#include <fcntl.h>
#include <signal.h>

int unlink(const char *path) {
    const char *end = strrchr(path, '.');
    if (end && !strcmp(end, ".ring"))
        kill(getpid(), SIGKILL);
    return unlinkat(AT_FDCWD, path, 0);
}
