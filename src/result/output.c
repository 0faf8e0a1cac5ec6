// A file or stream of whole lines: `.part` and rename, interrupted and short writes, full disks, readers that have
// gone.
#include "result/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char suffix[] = ".part";

static const char* errno_text(void)
{
    const char* text = strerrordesc_np(errno);  // unlike strerror, safe in threads
    return text != NULL ? text : "unknown error";
}

static const char* open_stream(Output* output, const char* path)
{
    output->descriptor = open(path, O_WRONLY | O_CLOEXEC);
    output->owned = true;
    return output->descriptor < 0 ? errno_text() : NULL;
}

// Opens `partial` for this process alone: two runs that write one file would both lose. The lock goes with the
// descriptor. A file that was renamed between opening and locking is a finished result of the other run: try again.
static const char* open_alone(Output* output, int flags)
{
    for (;;)
    {
        struct stat opened, named;
        int descriptor = open(output->partial, O_RDWR | O_CLOEXEC | flags, 0666);
        if (descriptor < 0)
            return errno == ENOENT ? "the folder it should be in does not exist" : errno_text();
        output->descriptor = descriptor;
        output->owned = true;
        if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            return "another run is writing it";
        bool there = fstat(descriptor, &opened) == 0 && stat(output->partial, &named) == 0;
        if (there && opened.st_dev == named.st_dev && opened.st_ino == named.st_ino)
            return NULL;
        close(descriptor);
        output->owned = false;
    }
}

static const char* name_file(Output* output, const char* path, kaiAllocator allocator)
{
    output->path_size = strlen(path) + sizeof suffix;
    output->path = allocator.alloc(allocator.user, NULL, 0, output->path_size);
    output->partial = allocator.alloc(allocator.user, NULL, 0, output->path_size);
    if (output->path == NULL || output->partial == NULL)
        return "out of memory";
    strcpy(output->path, path);
    strcpy(output->partial, path);
    strcat(output->partial, suffix);
    return NULL;
}

static const char* open_file(Output* output, const char* path, kaiAllocator allocator)
{
    const char* trouble = name_file(output, path, allocator);
    if (trouble == NULL)
        trouble = open_alone(output, O_CREAT);
    if (trouble == NULL && ftruncate(output->descriptor, 0) != 0)
        trouble = errno_text();
    return trouble;
}

// A run that was interrupted has its name already, with a remark at its end.
const char* output_open_at(Output* output, const char* path, long long size, kaiAllocator allocator)
{
    struct stat status;
    *output = (Output){.descriptor = -1, .written = size, .durable = true};
    const char* trouble = name_file(output, path, allocator);
    if (trouble == NULL && stat(output->partial, &status) != 0 && rename(path, output->partial) != 0)
        trouble = "it is gone";
    if (trouble == NULL)
        trouble = open_alone(output, 0);
    if (trouble == NULL && (fstat(output->descriptor, &status) != 0 || status.st_size < size))
        trouble = "it is shorter than it was";
    if (trouble == NULL && (ftruncate(output->descriptor, size) != 0 || lseek(output->descriptor, size, SEEK_SET) < 0))
        trouble = errno_text();
    return trouble;
}

kaiStatus output_sync(Output* output)
{
    if (output->path == NULL)
        return KAI_ERR_USAGE;
    output->durable = true;
    return fsync(output->descriptor) == 0 ? KAI_OK : KAI_ERR_IO;
}

const char* output_open(Output* output, const char* path, kaiSink sink, kaiAllocator allocator)
{
    *output = (Output){.descriptor = -1, .sink = sink};
    if (sink.write != NULL)
        return NULL;
    if (strcmp(path, "-") == 0)
    {
        output->descriptor = STDOUT_FILENO;
        return NULL;
    }
    if (path[0] == 0)
        return "the name is empty";
    struct stat status;
    if (stat(path, &status) != 0 || S_ISREG(status.st_mode))
        return open_file(output, path, allocator);
    if (S_ISDIR(status.st_mode))
        return "it is a folder";
    return open_stream(output, path);  // a device or pipe must not be replaced by a file
}

// write(2) without the signal that would end the program when the reader of a pipe has gone. A SIGPIPE that was already
// blocked and pending is left alone.
static ssize_t write_quietly(int descriptor, const char* text, size_t size)
{
    sigset_t pipe_set, pending, old;
    sigemptyset(&pipe_set);
    sigaddset(&pipe_set, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe_set, &old);
    ssize_t count = write(descriptor, text, size);
    int error = errno;
    // A write that was cut short because the reader has gone returns a count and raises the signal all the same.
    if (count < (ssize_t)size && !sigismember(&pending, SIGPIPE))
        sigtimedwait(&pipe_set, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    errno = error;
    return count;
}

// Waits where waiting helps; false if the error stays.
static bool recover(int descriptor)
{
    if (errno == EINTR)
        return true;
    if (errno != EAGAIN && errno != EWOULDBLOCK)
        return false;
    struct pollfd poll_for = {.fd = descriptor, .events = POLLOUT};
    poll(&poll_for, 1, -1);
    return true;
}

// After a failed write: ends the file behind its last whole line.
static void cut_to_line(Output* output, const char* text, size_t done)
{
    if (output->path == NULL)
        return;
    while (done > 0 && text[done - 1] != '\n')
        done--;
    output->written += (long long)done;
    if (ftruncate(output->descriptor, (off_t)output->written) != 0)
        return;  // the write has failed already, and that is reported
}

kaiStatus output_write(Output* output, const char* text, size_t size)
{
    size_t done = 0;
    if (output->sink.write != NULL)
        return output->sink.write(output->sink.user, text, size);
    while (done < size)
    {
        ssize_t count = write_quietly(output->descriptor, text + done, size - done);
        if (count >= 0)
            done += (size_t)count;
        else if (!recover(output->descriptor))
        {
            int reason = errno;
            cut_to_line(output, text, done);
            errno = reason;  // for who asks at once
            return reason == EPIPE ? KAI_INTERRUPTED : KAI_ERR_IO;
        }
    }
    output->written += (long long)size;
    return KAI_OK;
}

kaiStatus output_remark(const Output* output, const char* remark)
{
    char name[PATH_MAX];
    if (output->path == NULL || snprintf(name, sizeof name, "%s.status", output->path) >= (int)sizeof name)
        return KAI_OK;
    if (remark == NULL)
        return unlink(name) == 0 || errno == ENOENT ? KAI_OK : KAI_ERR_IO;
    FILE* file = fopen(name, "we");
    if (file == NULL)
        return KAI_ERR_IO;
    for (; *remark != 0; remark++)
        putc(*remark == '\n' || *remark == '\r' ? ' ' : *remark, file);
    putc('\n', file);
    bool written = ferror(file) == 0;
    return fclose(file) == 0 && written ? KAI_OK : KAI_ERR_IO;
}

kaiStatus output_close(Output* output, kaiStatus status)
{
    if (status == KAI_INTERRUPTED)
        status = KAI_OK;
    if (status == KAI_OK && output->durable && fsync(output->descriptor) != 0)
        status = KAI_ERR_IO;
    if (output->owned && close(output->descriptor) != 0 && errno != EINTR)
        status = KAI_ERR_IO;  // some file systems report a full disk only here
    output->descriptor = -1;
    output->owned = false;
    if (status == KAI_OK && output->path != NULL && rename(output->partial, output->path) != 0)
        status = KAI_ERR_IO;
    return status;
}

void output_free(Output* output, kaiAllocator allocator)
{
    if (output->owned)
        close(output->descriptor);
    if (output->path != NULL)
        allocator.alloc(allocator.user, output->path, output->path_size, 0);
    if (output->partial != NULL)
        allocator.alloc(allocator.user, output->partial, output->path_size, 0);
    *output = (Output){.descriptor = -1};
}
