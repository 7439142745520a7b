// iolog: an LD_PRELOAD shim that records what one process does to the files below a directory,
// and can make chosen calls fail.
//
// It must never record more durability than the process was given: a sync is two records, and only
// what was recorded before its SYNC_BEGIN may be taken as covered. It must never lose a record in
// silence either: when the record cannot be written, the process dies with a message.
// The reader of the record is tests/src/power/record.rs; change both together.
//
//   IOLOG_ROOT        only this directory and what is below it is tracked
//   IOLOG_FILE        where the record goes (must not exist yet); unset: nothing is recorded
//   IOLOG_ACK_FD      bytes written to this descriptor become ACK records, before they are visible
//   IOLOG_FAIL        "call:ERRNO:K" fails only the K-th such call on a tracked file, "K+" also all
//                     later ones; several rules are separated by commas. Calls: fsync, fdatasync,
//                     sync (either), write, pwrite, data (either), open, ftruncate, fallocate,
//                     rename, unlink, link, mkdir, rmdir
//   IOLOG_FAIL_MATCH  restricts IOLOG_FAIL to paths that contain this text
//
// A record is
//   [kind: u8][fields: u8][name bytes: u16][data bytes: u32] [field: u64]* [name] [data]
// in the machine's byte order. Tracked files and directories get a number of our own at creation,
// because kernels hand out the inode number of a deleted file again.
//
// Not seen: raw system calls, io_uring, children after fork, O_SYNC (its writes count as unsynced,
// which is the safe side). Stdio writers and writable shared mappings below the root are refused,
// and the reader compares the whole record with the real directory to catch the rest.
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

typedef uint64_t u64;
enum { VERSION = 1, ROOT_ID = 1, MAX_FD = 1 << 16, BUCKETS = 1 << 14, RULES = 8 };
enum { HEADER = 1, CREATE, MKDIR, LINK, UNLINK, RENAME, WRITE, TRUNCATE, ALLOCATE, ZERO, SYNC_BEGIN, SYNC_END, ACK,
       FAULT, BASE_DONE };

// The next definition of a call, found on first use because other libraries' constructors may run
// before ours.
#define REAL(name) ({ static __typeof__(&name) real_; \
    if (!real_) { *(void **)&real_ = dlsym(RTLD_NEXT, #name); } \
    real_; })

// One lock covers a tracked call together with its record, so the order of records is the order in
// which the calls took effect. Syncs hold it only around their records: writes go on meanwhile.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_fd = -1, ack_fd = -1;
static bool active;
static dev_t root_dev;
static u64 last_id, last_sync;

static struct { _Atomic u64 id; ino_t ino; bool dir, match; } fds[MAX_FD];
static struct node { ino_t ino; u64 id; bool dir; struct node *next; } *nodes[BUCKETS];

static const char *fail_match;
static int rule_count;
static struct { const char *call; int error; long at, seen; bool sticky; } rules[RULES];

static void die(const char *why, const char *what) {
    char text[512];
    int n = snprintf(text, sizeof text, "iolog: %s: %s (%s)\n", why, what, strerror(errno));
    if (REAL(write)(2, text, n < (int)sizeof text ? n : (int)sizeof text - 1) < 0) _exit(98);
    _exit(97);
}

// ---- the record -------------------------------------------------------------------------------

// One writev call per record, so that a kill leaves at most one torn record, at the end.
static void emit(int kind, const u64 *field, int fields, const char *name, const void *data, size_t data_len) {
    if (log_fd < 0) return;
    int saved = errno;
    unsigned char head[8 + 8 * 3 + NAME_MAX + 1];
    size_t name_len = name ? strlen(name) : 0, at = 8;
    if (name_len > NAME_MAX || data_len > UINT32_MAX) die("a record does not fit", name ? name : "data");
    uint16_t name16 = name_len;
    uint32_t data32 = data_len;
    head[0] = kind, head[1] = fields;
    memcpy(head + 2, &name16, 2), memcpy(head + 4, &data32, 4);
    if (fields) memcpy(head + at, field, 8 * fields), at += 8 * fields;
    if (name) memcpy(head + at, name, name_len), at += name_len;
    struct iovec parts[2] = {{head, at}, {(void *)data, data_len}};
    if (REAL(writev)(log_fd, parts, data_len ? 2 : 1) != (ssize_t)(at + data_len)) die("cannot write", "IOLOG_FILE");
    errno = saved;
}
#define EMIT(kind, name, data, len, ...) do { u64 field_[] = {__VA_ARGS__}; \
    emit(kind, field_, sizeof field_ / 8, name, data, len); } while (0)

// Whether this call must fail; the caller holds the lock and returns -1 with the errno set here.
static bool fails(const char *call, const char *family, bool match, u64 id) {
    for (int i = 0; match && i < rule_count; i++) {
        if (strcmp(rules[i].call, call) && strcmp(rules[i].call, family)) continue;
        long n = ++rules[i].seen;
        if (n != rules[i].at && !(rules[i].sticky && n > rules[i].at)) continue;
        EMIT(FAULT, call, NULL, 0, id, rules[i].error);
        errno = rules[i].error;
        return true;
    }
    return false;
}
static bool matches(const char *path) { return !fail_match || (path && strstr(path, fail_match)); }

// ---- which files are tracked ------------------------------------------------------------------

static struct node *find(ino_t ino) {
    struct node *n = nodes[ino % BUCKETS];
    while (n && n->ino != ino) n = n->next;
    return n && n->id ? n : NULL;
}

static u64 track(ino_t ino, bool dir) {
    struct node *n = nodes[ino % BUCKETS];
    while (n && n->ino != ino) n = n->next;
    if (!n) {
        if (!(n = calloc(1, sizeof *n))) die("no memory", "inode table");
        n->ino = ino, n->next = nodes[ino % BUCKETS], nodes[ino % BUCKETS] = n;
    }
    n->id = ++last_id, n->dir = dir;
    return n->id;
}

static void forget(ino_t ino) {
    struct node *n = find(ino);
    if (n) n->id = 0;
}

// The tracked number behind a descriptor, or 0. The inode is compared on each call because libc
// closes some descriptors itself (closedir, fclose), and the number then means another file.
static u64 tracked(int fd) {
    if (!active || fd < 0 || fd >= MAX_FD) return 0;
    u64 id = atomic_load(&fds[fd].id);
    if (!id) return 0;
    struct stat st;
    int saved = errno;
    bool same = fstat(fd, &st) == 0 && st.st_dev == root_dev && st.st_ino == fds[fd].ino;
    errno = saved;
    if (same) return id;
    atomic_store(&fds[fd].id, 0);
    return 0;
}
static bool is_file(int fd) { return tracked(fd) && !fds[fd].dir; }

static void bind_fd(int fd, ino_t ino, u64 id, bool dir, bool match) {
    if (fd >= MAX_FD) die("descriptor too large", "tracked file");
    fds[fd].ino = ino, fds[fd].dir = dir, fds[fd].match = match;
    atomic_store(&fds[fd].id, id);
}

static u64 tracked_directory(int dirfd, const char *path) {
    struct stat st;
    int saved = errno;
    u64 id = 0;
    if (active && fstatat(dirfd, path, &st, 0) == 0 && st.st_dev == root_dev) {
        pthread_mutex_lock(&lock);
        struct node *n = find(st.st_ino);
        id = n && n->dir ? n->id : 0;
        pthread_mutex_unlock(&lock);
    }
    errno = saved;
    return id;
}

// The tracked directory that holds a path's last name (copied into name), or 0. The kernel resolves
// the path, so relative paths, directory descriptors and symbolic links need no code here.
static u64 parent_of(int dirfd, const char *path, char name[NAME_MAX + 1]) {
    char parent[PATH_MAX];
    size_t end = path ? strlen(path) : 0;
    if (!active || end == 0 || end >= sizeof parent) return 0;
    while (end > 1 && path[end - 1] == '/') end--;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/') start--;
    if (end - start > NAME_MAX || end == start) return 0;
    memcpy(name, path + start, end - start), name[end - start] = 0;
    if (!strcmp(name, ".") || !strcmp(name, "..")) return 0;
    memcpy(parent, path, start), parent[start] = 0;
    return tracked_directory(dirfd, start ? parent : ".");
}

// Records a file or directory that the record does not know yet, with its content, as unsynced.
static void adopt(int dirfd, const char *path, u64 parent, const char *name, struct stat *st) {
    struct node *known = find(st->st_ino);
    bool dir = S_ISDIR(st->st_mode);
    if (known) { EMIT(LINK, name, NULL, 0, parent, known->id); return; }
    if (!dir && !S_ISREG(st->st_mode)) return;
    u64 id = track(st->st_ino, dir);
    EMIT(dir ? MKDIR : CREATE, name, NULL, 0, parent, id);
    if (log_fd < 0 && !dir) return;
    int fd = REAL(openat)(dirfd, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) die("cannot read", path);
    if (dir) {
        DIR *listing = fdopendir(fd);
        for (struct dirent *e; listing && (e = readdir(listing));) {
            struct stat child;
            if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
            if (fstatat(fd, e->d_name, &child, AT_SYMLINK_NOFOLLOW)) die("cannot stat", e->d_name);
            adopt(fd, e->d_name, id, e->d_name, &child);
        }
        if (!listing || closedir(listing)) die("cannot list", path);
        return;
    }
    static char buffer[1 << 20];
    ssize_t n;
    for (u64 at = 0; (n = pread(fd, buffer, sizeof buffer, at)) > 0; at += n) EMIT(WRITE, NULL, buffer, n, id, at);
    if (n < 0 || REAL(close)(fd)) die("cannot read", path);
}

// ---- start ------------------------------------------------------------------------------------

// Another thread may hold the lock at a fork; a child that tracks nothing never takes it.
static void after_fork_in_child(void) {
    active = false, log_fd = -1, ack_fd = -1;
}

static int errno_named(const char *name) {
    if (!strcmp(name, "EIO")) return EIO;
    if (!strcmp(name, "ENOSPC")) return ENOSPC;
    if (!strcmp(name, "EDQUOT")) return EDQUOT;
    if (!strcmp(name, "EROFS")) return EROFS;
    return atoi(name);
}

static void read_rules(const char *text) {
    static const char *calls = " fsync fdatasync sync write pwrite data open ftruncate fallocate rename unlink link mkdir rmdir ";
    char *copy = strdup(text), *rest = copy;
    for (char *rule; (rule = strsep(&rest, ","));) {
        char *at = rule, *call = strsep(&at, ":"), *error = strsep(&at, ":"), *end = NULL, word[32];
        snprintf(word, sizeof word, " %s ", call);
        long k = at ? strtol(at, &end, 10) : 0;
        if (!error || k < 1 || strcmp(end, *end == '+' ? "+" : "") || !strstr(calls, word) || errno_named(error) <= 0 ||
            rule_count == RULES) die("bad IOLOG_FAIL", text);
        rules[rule_count].call = call, rules[rule_count].error = errno_named(error);
        rules[rule_count].at = k, rules[rule_count++].sticky = *end == '+';
    }
}

__attribute__((constructor)) static void start(void) {
    const char *root = getenv("IOLOG_ROOT"), *file = getenv("IOLOG_FILE"), *fail = getenv("IOLOG_FAIL"),
               *ack = getenv("IOLOG_ACK_FD");
    struct stat st;
    if (!root && (file || fail)) die("IOLOG_ROOT is not set", "IOLOG_FILE or IOLOG_FAIL is");
    if (!root) return;
    if (stat(root, &st) || !S_ISDIR(st.st_mode)) die("not a directory", root);
    fail_match = getenv("IOLOG_FAIL_MATCH");
    if (fail && *fail) read_rules(fail);
    pthread_atfork(NULL, NULL, after_fork_in_child);
    root_dev = st.st_dev;
    if (track(st.st_ino, true) != ROOT_ID) die("the root is not the first", root);
    if (file) {
        // Another process with the same record (a wrapper such as `timeout`) would mix two stories.
        int fd = REAL(openat)(AT_FDCWD, file, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
        // A high number keeps it out of the way of programs that close or reuse low ones.
        if (fd < 0 || (log_fd = REAL(fcntl)(fd, F_DUPFD_CLOEXEC, 900)) < 0) die("cannot create the record", file);
        REAL(close)(fd);
        ack_fd = ack ? atoi(ack) : -1;
        EMIT(HEADER, NULL, NULL, 0, VERSION);
    }
    DIR *listing = opendir(root);
    for (struct dirent *e; listing && (e = readdir(listing));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        if (fstatat(dirfd(listing), e->d_name, &st, AT_SYMLINK_NOFOLLOW)) die("cannot stat", e->d_name);
        adopt(dirfd(listing), e->d_name, ROOT_ID, e->d_name, &st);
    }
    if (!listing || closedir(listing)) die("cannot list", root);
    // What was there before the process started counts as durable.
    emit(BASE_DONE, NULL, 0, NULL, NULL, 0);
    active = true;
}

// ---- opening and closing ----------------------------------------------------------------------

static int do_open(int dirfd, const char *path, int flags, mode_t mode) {
    char name[NAME_MAX + 1];
    struct stat st;
    // A file without a name cannot be told apart later, when linkat gives it one.
    if ((flags & O_TMPFILE) == O_TMPFILE && tracked_directory(dirfd, path)) return errno = EOPNOTSUPP, -1;
    u64 parent = parent_of(dirfd, path, name);
    if (!parent) {
        // The root's own parent is not tracked, but a sync of the root's descriptor matters.
        int fd = REAL(openat)(dirfd, path, flags, mode), saved = errno;
        if (fd >= 0 && active) {
            if (fd < MAX_FD) atomic_store(&fds[fd].id, 0);
            if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) && st.st_dev == root_dev) {
                pthread_mutex_lock(&lock);
                struct node *n = find(st.st_ino);
                if (n && n->dir) bind_fd(fd, st.st_ino, n->id, true, matches(path));
                pthread_mutex_unlock(&lock);
            }
        }
        errno = saved;
        return fd;
    }
    pthread_mutex_lock(&lock);
    bool existed = fstatat(dirfd, path, &st, 0) == 0;
    off_t old_size = existed ? st.st_size : 0;
    int fd = -1;
    if (!fails("open", "", matches(path), parent)) fd = REAL(openat)(dirfd, path, flags, mode);
    int saved = errno;
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == root_dev && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))) {
        struct node *n = find(st.st_ino);
        if (!existed) {
            track(st.st_ino, false);
            n = find(st.st_ino);
            EMIT(CREATE, name, NULL, 0, parent, n->id);
        } else if (!n) {
            adopt(dirfd, path, parent, name, &st);
            n = find(st.st_ino);
        } else if ((flags & O_TRUNC) && old_size > 0) {
            EMIT(TRUNCATE, NULL, NULL, 0, n->id, 0);
        }
        bind_fd(fd, st.st_ino, n->id, n->dir, matches(path));
    } else if (fd >= 0 && fd < MAX_FD) {
        atomic_store(&fds[fd].id, 0);
    }
    pthread_mutex_unlock(&lock);
    errno = saved;
    return fd;
}

#define MODE_ARGUMENT(flags) mode_t mode = 0; \
    if (__OPEN_NEEDS_MODE(flags)) { va_list a; va_start(a, flags); mode = va_arg(a, mode_t); va_end(a); }
int open(const char *path, int flags, ...) { MODE_ARGUMENT(flags) return do_open(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE_ARGUMENT(flags) return do_open(AT_FDCWD, path, flags, mode); }
int openat(int d, const char *path, int flags, ...) { MODE_ARGUMENT(flags) return do_open(d, path, flags, mode); }
int openat64(int d, const char *path, int flags, ...) { MODE_ARGUMENT(flags) return do_open(d, path, flags, mode); }
int creat(const char *path, mode_t mode) { return do_open(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }
// What calls without a mode become when a program is built with _FORTIFY_SOURCE.
int __open_2(const char *path, int flags) { return do_open(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return do_open(AT_FDCWD, path, flags, 0); }
int __openat_2(int d, const char *path, int flags) { return do_open(d, path, flags, 0); }
int __openat64_2(int d, const char *path, int flags) { return do_open(d, path, flags, 0); }

// libc writes stdio buffers with calls of its own that no shim sees.
static bool refused_stdio(const char *path, const char *mode) {
    char name[NAME_MAX + 1];
    if (!strpbrk(mode, "wa+") || !parent_of(AT_FDCWD, path, name)) return false;
    dprintf(2, "iolog: fopen for writing below IOLOG_ROOT is refused: %s\n", path);
    return errno = ENOTSUP, true;
}
FILE *fopen(const char *path, const char *mode) { return refused_stdio(path, mode) ? NULL : REAL(fopen)(path, mode); }
FILE *fopen64(const char *path, const char *mode) { return refused_stdio(path, mode) ? NULL : REAL(fopen)(path, mode); }

int close(int fd) {
    // Before the real call: right after it, another thread may be given the same number.
    if (fd >= 0 && fd < MAX_FD) atomic_store(&fds[fd].id, 0);
    return REAL(close)(fd);
}

static int copied(int from, int to) {
    u64 id = to >= 0 ? tracked(from) : 0;
    if (id) bind_fd(to, fds[from].ino, id, fds[from].dir, fds[from].match);
    else if (to >= 0 && to < MAX_FD && to != from) atomic_store(&fds[to].id, 0);
    return to;
}
int dup(int fd) { return copied(fd, REAL(dup)(fd)); }
int dup2(int fd, int to) { return copied(fd, REAL(dup2)(fd, to)); }
int dup3(int fd, int to, int flags) { return copied(fd, REAL(dup3)(fd, to, flags)); }
#define FCNTL_BODY va_list a; va_start(a, command); void *argument = va_arg(a, void *); va_end(a); \
    int r = REAL(fcntl)(fd, command, argument); \
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? copied(fd, r) : r;
int fcntl(int fd, int command, ...) { FCNTL_BODY }
int fcntl64(int fd, int command, ...) { FCNTL_BODY }

// ---- content ----------------------------------------------------------------------------------

static ssize_t acknowledge(const void *data, size_t len) {
    pthread_mutex_lock(&lock);
    emit(ACK, NULL, 0, NULL, data, len);
    pthread_mutex_unlock(&lock);
    // All of it is recorded, so all of it is sent: a short write would record the rest twice.
    for (size_t done = 0; done < len;) {
        ssize_t n = REAL(write)(ack_fd, (const char *)data + done, len - done);
        if (n < 0 && errno != EINTR) return -1;
        if (n > 0) done += n;
    }
    return len;
}

static ssize_t do_write(int fd, const void *data, size_t len, off_t at, bool positioned) {
    if (fd == ack_fd && fd >= 0 && !positioned) return acknowledge(data, len);
    if (!is_file(fd)) return positioned ? REAL(pwrite)(fd, data, len, at) : REAL(write)(fd, data, len);
    pthread_mutex_lock(&lock);
    u64 id = fds[fd].id;
    ssize_t n = -1;
    if (!fails(positioned ? "pwrite" : "write", "data", fds[fd].match, id)) {
        n = positioned ? REAL(pwrite)(fd, data, len, at) : REAL(write)(fd, data, len);
        int saved = errno;
        if (n > 0) {
            // Linux appends in append mode even when an offset is given.
            struct stat st;
            if (REAL(fcntl)(fd, F_GETFL) & O_APPEND) at = fstat(fd, &st) ? 0 : st.st_size - n;
            else if (!positioned) at = lseek(fd, 0, SEEK_CUR) - n;
            EMIT(WRITE, NULL, data, n, id, at);
        }
        errno = saved;
    }
    pthread_mutex_unlock(&lock);
    return n;
}

// Pieces are joined first, so that the file gets one write and the record one record.
static ssize_t do_writev(int fd, const struct iovec *parts, int count, off_t at, bool positioned) {
    if (!is_file(fd) && (fd != ack_fd || fd < 0))
        return positioned ? REAL(pwritev)(fd, parts, count, at) : REAL(writev)(fd, parts, count);
    size_t len = 0, done = 0;
    for (int i = 0; i < count; i++) len += parts[i].iov_len;
    char *joined = malloc(len + 1);
    if (!joined) return errno = ENOMEM, -1;
    for (int i = 0; i < count; done += parts[i++].iov_len) memcpy(joined + done, parts[i].iov_base, parts[i].iov_len);
    ssize_t n = do_write(fd, joined, len, at, positioned);
    int saved = errno;
    free(joined);
    return errno = saved, n;
}
ssize_t write(int fd, const void *data, size_t len) { return do_write(fd, data, len, 0, false); }
ssize_t pwrite(int fd, const void *data, size_t len, off_t at) { return do_write(fd, data, len, at, true); }
ssize_t pwrite64(int fd, const void *data, size_t len, off64_t at) { return do_write(fd, data, len, at, true); }
ssize_t writev(int fd, const struct iovec *v, int n) { return do_writev(fd, v, n, 0, false); }
ssize_t pwritev(int fd, const struct iovec *v, int n, off_t at) { return do_writev(fd, v, n, at, true); }
ssize_t pwritev64(int fd, const struct iovec *v, int n, off64_t at) { return do_writev(fd, v, n, at, true); }

// Callers fall back to read and write when these are "not implemented".
ssize_t copy_file_range(int in, off64_t *in_at, int out, off64_t *out_at, size_t len, unsigned flags) {
    if (tracked(out)) return errno = ENOSYS, -1;
    return REAL(copy_file_range)(in, in_at, out, out_at, len, flags);
}
ssize_t sendfile(int out, int in, off_t *at, size_t len) {
    return tracked(out) ? (errno = ENOSYS, -1) : REAL(sendfile)(out, in, at, len);
}
ssize_t sendfile64(int out, int in, off64_t *at, size_t len) { return sendfile(out, in, at, len); }
ssize_t splice(int in, off64_t *in_at, int out, off64_t *out_at, size_t len, unsigned flags) {
    return tracked(out) ? (errno = ENOSYS, -1) : REAL(splice)(in, in_at, out, out_at, len, flags);
}
static bool refused_mapping(int protection, int flags, int fd) {
    return (flags & MAP_SHARED) && (protection & PROT_WRITE) && tracked(fd) && (errno = ENODEV, true);
}
void *mmap(void *at, size_t len, int protection, int flags, int fd, off_t offset) {
    return refused_mapping(protection, flags, fd) ? MAP_FAILED : REAL(mmap)(at, len, protection, flags, fd, offset);
}
void *mmap64(void *at, size_t len, int protection, int flags, int fd, off64_t offset) {
    return refused_mapping(protection, flags, fd) ? MAP_FAILED : REAL(mmap)(at, len, protection, flags, fd, offset);
}

int ftruncate(int fd, off_t size) {
    if (!is_file(fd)) return REAL(ftruncate)(fd, size);
    pthread_mutex_lock(&lock);
    u64 id = fds[fd].id;
    int r = fails("ftruncate", "", fds[fd].match, id) ? -1 : REAL(ftruncate)(fd, size);
    if (r == 0) EMIT(TRUNCATE, NULL, NULL, 0, id, size);
    pthread_mutex_unlock(&lock);
    return r;
}
int ftruncate64(int fd, off64_t size) { return ftruncate(fd, size); }
int truncate(const char *path, off_t size) {
    int fd = do_open(AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);
    if (fd < 0) return -1;
    int r = ftruncate(fd, size), saved = errno;
    close(fd);
    return errno = saved, r;
}
int truncate64(const char *path, off64_t size) { return truncate(path, size); }

int fallocate(int fd, int mode, off_t at, off_t len) {
    if (!is_file(fd)) return REAL(fallocate)(fd, mode, at, len);
    if (mode & ~(FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE)) return errno = EOPNOTSUPP, -1;
    pthread_mutex_lock(&lock);
    u64 id = fds[fd].id;
    int r = fails("fallocate", "", fds[fd].match, id) ? -1 : REAL(fallocate)(fd, mode, at, len);
    if (r == 0 && !(mode & FALLOC_FL_KEEP_SIZE)) EMIT(ALLOCATE, NULL, NULL, 0, id, at + len);
    if (r == 0 && (mode & ~FALLOC_FL_KEEP_SIZE)) EMIT(ZERO, NULL, NULL, 0, id, at, len);
    pthread_mutex_unlock(&lock);
    return r;
}
int fallocate64(int fd, int mode, off64_t at, off64_t len) { return fallocate(fd, mode, at, len); }
int posix_fallocate(int fd, off_t at, off_t len) {
    if (!is_file(fd)) return REAL(posix_fallocate)(fd, at, len);
    return fallocate(fd, 0, at, len) ? errno : 0;
}
int posix_fallocate64(int fd, off64_t at, off64_t len) { return posix_fallocate(fd, at, len); }

static int do_sync(int fd, const char *call, int (*real)(int)) {
    u64 id = tracked(fd);
    if (!id) return real(fd);
    pthread_mutex_lock(&lock);
    u64 number = ++last_sync;
    EMIT(SYNC_BEGIN, NULL, NULL, 0, number, id);
    bool failed = fails(call, "sync", fds[fd].match, id);
    int saved = errno, r = -1;
    if (!failed) {
        pthread_mutex_unlock(&lock);
        r = real(fd), saved = errno;
        pthread_mutex_lock(&lock);
    }
    EMIT(SYNC_END, NULL, NULL, 0, number, r == 0);
    pthread_mutex_unlock(&lock);
    return errno = saved, r;
}
int fsync(int fd) { return do_sync(fd, "fsync", REAL(fsync)); }
int fdatasync(int fd) { return do_sync(fd, "fdatasync", REAL(fdatasync)); }

// ---- names ------------------------------------------------------------------------------------

int mkdirat(int d, const char *path, mode_t mode) {
    char name[NAME_MAX + 1];
    u64 parent = parent_of(d, path, name);
    if (!parent) return REAL(mkdirat)(d, path, mode);
    pthread_mutex_lock(&lock);
    struct stat st;
    int r = fails("mkdir", "", matches(path), parent) ? -1 : REAL(mkdirat)(d, path, mode);
    if (r == 0) {
        if (fstatat(d, path, &st, 0)) die("cannot stat", path);
        EMIT(MKDIR, name, NULL, 0, parent, track(st.st_ino, true));
    }
    pthread_mutex_unlock(&lock);
    return r;
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int unlinkat(int d, const char *path, int flags) {
    char name[NAME_MAX + 1];
    u64 parent = parent_of(d, path, name);
    if (!parent) return REAL(unlinkat)(d, path, flags);
    pthread_mutex_lock(&lock);
    struct stat st = {0};
    bool dir = flags & AT_REMOVEDIR;
    struct node *n = fstatat(d, path, &st, AT_SYMLINK_NOFOLLOW) == 0 ? find(st.st_ino) : NULL;
    int r = fails(dir ? "rmdir" : "unlink", "", matches(path), parent) ? -1 : REAL(unlinkat)(d, path, flags);
    if (r == 0 && n) EMIT(UNLINK, name, NULL, 0, parent, n->id);
    // Forgotten, so that a directory elsewhere that gets this inode number is not tracked.
    if (r == 0 && dir) forget(st.st_ino);
    pthread_mutex_unlock(&lock);
    return r;
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char *path) {
    int r = unlinkat(AT_FDCWD, path, 0);
    return r && (errno == EISDIR || errno == EPERM) ? rmdir(path) : r;
}

int linkat(int od, const char *from, int nd, const char *to, int flags) {
    char old_name[NAME_MAX + 1], name[NAME_MAX + 1];
    u64 source = parent_of(od, from, old_name), parent = parent_of(nd, to, name);
    if (!source && !parent) return REAL(linkat)(od, from, nd, to, flags);
    // The root acts as a mount point: nothing moves across its border without being copied.
    if (!source || !parent) return errno = EXDEV, -1;
    pthread_mutex_lock(&lock);
    struct stat st;
    int r = fails("link", "", matches(from) || matches(to), parent) ? -1 : REAL(linkat)(od, from, nd, to, flags);
    if (r == 0) {
        if (fstatat(nd, to, &st, AT_SYMLINK_NOFOLLOW)) die("cannot stat", to);
        adopt(nd, to, parent, name, &st);
    }
    pthread_mutex_unlock(&lock);
    return r;
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int renameat2(int od, const char *from, int nd, const char *to, unsigned flags) {
    char old_name[NAME_MAX + 1], name[NAME_MAX + 1];
    u64 source = parent_of(od, from, old_name), parent = parent_of(nd, to, name);
    if (!source && !parent) return REAL(renameat2)(od, from, nd, to, flags);
    if (!source || !parent) return errno = EXDEV, -1;
    if (flags & ~RENAME_NOREPLACE) return errno = EINVAL, -1;
    pthread_mutex_lock(&lock);
    struct stat moved = {0}, replaced = {0};
    bool had_target = fstatat(nd, to, &replaced, AT_SYMLINK_NOFOLLOW) == 0;
    struct node *n = fstatat(od, from, &moved, AT_SYMLINK_NOFOLLOW) == 0 ? find(moved.st_ino) : NULL;
    int r = fails("rename", "", matches(from) || matches(to), parent) ? -1 : REAL(renameat2)(od, from, nd, to, flags);
    // Between two names of one file a rename does nothing, says POSIX.
    if (r == 0 && n && !(had_target && replaced.st_ino == moved.st_ino)) {
        if (had_target && S_ISDIR(replaced.st_mode)) forget(replaced.st_ino);
        EMIT(RENAME, old_name, name, strlen(name), source, parent, n->id);
    }
    pthread_mutex_unlock(&lock);
    return r;
}
int renameat(int od, const char *from, int nd, const char *to) { return renameat2(od, from, nd, to, 0); }
int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }
