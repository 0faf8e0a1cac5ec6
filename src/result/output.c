// A file or stream of whole lines: `.part` and rename, interrupted and short writes, full disks, readers that have
// gone.
#include "result/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
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

static const char* open_file(Output* output, const char* path, kaiAllocator allocator)
{
    output->path_size = strlen(path) + sizeof suffix;
    output->path = allocator.alloc(allocator.user, NULL, 0, output->path_size);
    output->partial = allocator.alloc(allocator.user, NULL, 0, output->path_size);
    if (output->path == NULL || output->partial == NULL)
        return "out of memory";
    strcpy(output->path, path);
    strcpy(output->partial, path);
    strcat(output->partial, suffix);
    output->descriptor = open(output->partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    output->owned = true;
    if (output->descriptor >= 0)
        return NULL;
    return errno == ENOENT ? "the folder it should be in does not exist" : errno_text();
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
            kaiStatus status = errno == EPIPE ? KAI_INTERRUPTED : KAI_ERR_IO;
            cut_to_line(output, text, done);
            return status;
        }
    }
    output->written += (long long)size;
    return KAI_OK;
}

kaiStatus output_close(Output* output, kaiStatus status)
{
    if (status == KAI_INTERRUPTED)
        status = KAI_OK;
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
