/* What a process is told of its disk, its boot and its wall clock. Preloaded into a broker; see machine.py and disk.py.
 *
 *   SHIM_DATA       each change of files below this directory is written down, in the order in which it happened, …
 *   SHIM_JOURNAL    … in this file, which is appended to
 *   SHIM_NO_FSYNC   if set, fsync and fdatasync do nothing and say that all is well
 *   SHIM_BOOT_ID    this file is opened in place of the kernel's boot id
 *   SHIM_CLOCK      a file of 8 bytes: nanoseconds (native, signed) that are added to the wall clock
 *
 * A change is written down before it is made, and again when it has been made, with what came of it. A lock is held in
 * between, so that the journal has the order of the disk. A sync is not locked: it covers what was done before it began.
 * A call that is missing here makes the journal wrong, which disk.py finds: it compares it with the real files.
 */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define MOST_FDS 65536

/* The same numbers and the same layout as in disk.py. */
enum { DONE, OPEN, WRITE, TRUNCATE, SYNC, RENAME, UNLINK, MKDIR, RMDIR };
struct entry {
    uint32_t kind;
    int32_t fd;
    uint64_t id;
    int64_t value; /* flags, position or size; of DONE: what the call returned */
    uint32_t size, other_size; /* of what follows: a path or data; another path */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char is_ours[MOST_FDS];
static const char *data_dir, *boot_id_file;
static size_t data_dir_size;
static int journal = -1, has_no_fsync;
static uint64_t last_id;
static const volatile int64_t *clock_offset_ns;

static void die(const char *why)
{
    dprintf(2, "shim: %s: %s\n", why, strerror(errno));
    abort();
}

__attribute__((constructor)) static void begin(void)
{
    const char *path;
    if ((data_dir = getenv("SHIM_DATA")) != NULL) {
        data_dir_size = strlen(data_dir);
        journal = syscall(SYS_openat, AT_FDCWD, getenv("SHIM_JOURNAL"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (journal < 0)
            die("the journal cannot be opened");
    }
    has_no_fsync = getenv("SHIM_NO_FSYNC") != NULL;
    boot_id_file = getenv("SHIM_BOOT_ID");
    if ((path = getenv("SHIM_CLOCK")) != NULL) {
        int fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
        void *at = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);
        if (at == MAP_FAILED)
            die("the clock's file cannot be mapped");
        syscall(SYS_close, fd);
        clock_offset_ns = at;
    }
}

/* The next function of a name, that is libc's. */
#define REAL(name) \
    static __typeof__(&name) real; \
    if (real == NULL && (real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)) == NULL) \
        die(#name)

/* Journal */

static int is_below(const char *path)
{
    return journal >= 0 && strncmp(path, data_dir, data_dir_size) == 0
        && (path[data_dir_size] == '/' || path[data_dir_size] == 0);
}

static int is_tracked(int fd)
{
    return fd >= 0 && fd < MOST_FDS && is_ours[fd];
}

static void put(const void *from, size_t size)
{
    while (size > 0) {
        long written = syscall(SYS_write, journal, from, size);
        if (written < 0)
            die("the journal cannot be written");
        from = (const char *)from + written;
        size -= written;
    }
}

static uint64_t note(uint32_t kind, int fd, int64_t value, const struct iovec *parts, int count, const char *other)
{
    struct entry entry = {kind, fd, ++last_id, value, 0, other ? strlen(other) : 0};
    for (int i = 0; i < count; i++)
        entry.size += parts[i].iov_len;
    put(&entry, sizeof entry);
    for (int i = 0; i < count; i++)
        put(parts[i].iov_base, parts[i].iov_len);
    put(other, entry.other_size);
    return entry.id;
}

static uint64_t note_path(uint32_t kind, int64_t value, const char *path, const char *other)
{
    struct iovec part = {(void *)path, strlen(path)};
    return note(kind, -1, value, &part, 1, other);
}

static void note_done(uint64_t id, int64_t result)
{
    struct entry entry = {DONE, -1, id, result, 0, 0};
    int number = errno;
    put(&entry, sizeof entry);
    errno = number;
}

/* Make a change of files whose journal entry is `noted`, under the lock, and answer what `call` returns. */
#define CHANGE(noted, call) \
    pthread_mutex_lock(&lock); \
    uint64_t id = noted; \
    int64_t result = call; \
    note_done(id, result); \
    pthread_mutex_unlock(&lock); \
    return result

/* Files */

static int open_one(int (*real)(const char *, int, ...), const char *path, int flags, int mode)
{
    if (boot_id_file != NULL && strcmp(path, BOOT_ID) == 0)
        path = boot_id_file;
    if (!is_below(path))
        return real(path, flags, mode);
    pthread_mutex_lock(&lock);
    uint64_t id = note_path(OPEN, flags, path, NULL);
    int fd = real(path, flags, mode);
    note_done(id, fd);
    if (fd >= MOST_FDS)
        die("a file descriptor is too large");
    if (fd >= 0)
        is_ours[fd] = 1;
    pthread_mutex_unlock(&lock);
    return fd;
}

static int mode_of(int flags, va_list arguments)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, int) : 0;
}

int open(const char *path, int flags, ...)
{
    REAL(open);
    va_list arguments;
    va_start(arguments, flags);
    int mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_one(real, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    REAL(open64);
    va_list arguments;
    va_start(arguments, flags);
    int mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_one(real, path, flags, mode);
}

int close(int fd)
{
    REAL(close);
    if (fd >= 0 && fd == journal)
        return 0; /* by those who close all that they did not open */
    if (is_tracked(fd))
        is_ours[fd] = 0;
    return real(fd);
}

ssize_t write(int fd, const void *from, size_t size)
{
    REAL(write);
    if (!is_tracked(fd))
        return real(fd, from, size);
    struct iovec part = {(void *)from, size};
    CHANGE(note(WRITE, fd, -1, &part, 1, NULL), real(fd, from, size));
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    REAL(writev);
    if (!is_tracked(fd))
        return real(fd, parts, count);
    CHANGE(note(WRITE, fd, -1, parts, count, NULL), real(fd, parts, count));
}

ssize_t pwrite64(int fd, const void *from, size_t size, off64_t position)
{
    REAL(pwrite64);
    if (!is_tracked(fd))
        return real(fd, from, size, position);
    struct iovec part = {(void *)from, size};
    CHANGE(note(WRITE, fd, position, &part, 1, NULL), real(fd, from, size, position));
}

int ftruncate64(int fd, off64_t size)
{
    REAL(ftruncate64);
    if (!is_tracked(fd))
        return real(fd, size);
    CHANGE(note(TRUNCATE, fd, size, NULL, 0, NULL), real(fd, size));
}

static int sync_one(int (*real)(int), int fd)
{
    if (!is_tracked(fd))
        return real(fd);
    if (has_no_fsync)
        return 0;
    pthread_mutex_lock(&lock);
    uint64_t id = note(SYNC, fd, 0, NULL, 0, NULL);
    pthread_mutex_unlock(&lock);
    int result = real(fd);
    pthread_mutex_lock(&lock);
    note_done(id, result);
    pthread_mutex_unlock(&lock);
    return result;
}

int fsync(int fd)
{
    REAL(fsync);
    return sync_one(real, fd);
}

int fdatasync(int fd)
{
    REAL(fdatasync);
    return sync_one(real, fd);
}

int rename(const char *path, const char *new_path)
{
    REAL(rename);
    if (!is_below(path) && !is_below(new_path))
        return real(path, new_path);
    CHANGE(note_path(RENAME, 0, path, new_path), real(path, new_path));
}

int unlink(const char *path)
{
    REAL(unlink);
    if (!is_below(path))
        return real(path);
    CHANGE(note_path(UNLINK, 0, path, NULL), real(path));
}

int mkdir(const char *path, mode_t mode)
{
    REAL(mkdir);
    if (!is_below(path))
        return real(path, mode);
    CHANGE(note_path(MKDIR, 0, path, NULL), real(path, mode));
}

int rmdir(const char *path)
{
    REAL(rmdir);
    if (!is_below(path))
        return real(path);
    CHANGE(note_path(RMDIR, 0, path, NULL), real(path));
}

/* The wall clock. What counts up from the boot is left alone. */

#define S_NS 1000000000LL

static int64_t offset_ns(void)
{
    return clock_offset_ns == NULL ? 0 : *clock_offset_ns;
}

int clock_gettime(clockid_t which, struct timespec *at)
{
    REAL(clock_gettime);
    int result = real(which, at);
    if (result == 0 && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) {
        int64_t ns = at->tv_sec * S_NS + at->tv_nsec + offset_ns();
        at->tv_sec = ns / S_NS;
        at->tv_nsec = ns % S_NS;
    }
    return result;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone)
{
    REAL(gettimeofday);
    int result = real(at, zone);
    if (result == 0) {
        int64_t us = at->tv_sec * 1000000LL + at->tv_usec + offset_ns() / 1000;
        at->tv_sec = us / 1000000;
        at->tv_usec = us % 1000000;
    }
    return result;
}

time_t time(time_t *at)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at != NULL)
        *at = now.tv_sec;
    return now.tv_sec;
}
