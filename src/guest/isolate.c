// Instances in processes of their own. The parent unpacks the FMU and forks; the child opens the binary and answers the
// calls of a block over a pair of sockets, one at a time. Where it was set last goes with the next question, and rates
// bring indicators and outputs with them, so that an evaluation is one round trip, of one message each way. A child
// that crashes, ends or is silent when the run is to end is a failure of the block, with the call that it was in. What
// an FMU prints goes to standard error.
#include "guest/guest.h"

#ifndef __linux__  // no processes: it cannot be opened

static kaiStatus refuse(const kaiBlock* block, const kaiBlockHost* host, void** instance)
{
    (void)block, (void)instance;
    host->log(host->user, true, "FMUs have processes of their own on Linux only");
    return KAI_ERR_IO;
}

void guest_isolate(Guest* g)
{
    g->block.open = refuse;
}

#else

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

typedef enum RemoteCall
{
    REMOTE_OPEN,
    REMOTE_BEGIN,
    REMOTE_RATES,
    REMOTE_OUTPUTS,
    REMOTE_INDICATORS,
    REMOTE_SLOPES,
    REMOTE_REACTION,
    REMOTE_COMMIT,
    REMOTE_STEP,
    REMOTE_SAVE,
    REMOTE_RESTORE,
    REMOTE_CALLS
} RemoteCall;

static const char* const call_names[REMOTE_CALLS] = {"the opening",
                                                     "the start",
                                                     "the derivatives",
                                                     "the outputs",
                                                     "the indicators",
                                                     "the slopes",
                                                     "the outputs of an event",
                                                     "the event iteration",
                                                     "a finished step",
                                                     "saving",
                                                     "restoring"};

typedef struct Question
{
    uint32_t call;
    uint32_t moved;  // time, states and inputs come first
    uint64_t size;   // of what follows them
    double time;
} Question;

typedef struct Answer
{
    int32_t status;
    uint32_t logged;  // 0: the answer; 1: a remark, 2: an error, as text
    uint64_t size;
    kaiBlockEvents events;
    uint32_t event;
} Answer;

enum
{
    LOOK_MS = 50,          // between two looks whether the run is to end
    LEAVE_MS = 500,        // for an FMU to free what it holds
    TEXT_MOST = 1000,      // of a remark
    MORE_MOST = 64,        // indicators and outputs that come with rates
    SAVED_MOST = 1 << 30,  // bytes of a state
};

typedef struct Channel
{
    int socket;
    const kaiBlockHost* host;  // who may want to end; NULL: nobody
    bool silent;               // they did
    size_t used, from, to;
    char out[8192], in[8192];
} Channel;

typedef struct Remote
{
    Guest* guest;
    kaiBlockHost host;
    pid_t child;
    Channel channel;
    bool moved;
    bool has_more;  // `more` has indicators and outputs of where it is
    double time;
    double *states, *inputs, *more;
} Remote;

// ---- bytes

// What is put goes out as one message when it is sent; what comes is taken from a buffer.
static bool channel_send(Channel* c)
{
    const char* at = c->out;
    while (c->used > 0)
    {
        ssize_t sent = send(c->socket, at, c->used, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        c->used -= (size_t)sent;
    }
    return true;
}

static bool put(Channel* c, const void* bytes, size_t size)
{
    for (const char* at = bytes; size > 0;)
    {
        size_t part = size < sizeof c->out - c->used ? size : sizeof c->out - c->used;
        memcpy(c->out + c->used, at, part);
        c->used += part;
        at += part;
        size -= part;
        if (c->used == sizeof c->out && !channel_send(c))
            return false;
    }
    return true;
}

// Until there is something. False: the other end is gone, or the run is to end first (`silent`).
static bool channel_fill(Channel* c)
{
    c->from = c->to = 0;
    for (;;)
    {
        ssize_t got = recv(c->socket, c->in, sizeof c->in, 0);
        if (got > 0)
            return c->to = (size_t)got, true;
        bool waits = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        if (waits && c->host != NULL && c->host->interrupted(c->host->user))
            return c->silent = true, false;
        if (!waits && !(got < 0 && errno == EINTR))
            return false;
    }
}

static bool take(Channel* c, void* bytes, size_t size)
{
    for (char* at = bytes; size > 0;)
    {
        if (c->from == c->to && !channel_fill(c))
            return false;
        size_t part = size < c->to - c->from ? size : c->to - c->from;
        memcpy(at, c->in + c->from, part);
        c->from += part;
        at += part;
        size -= part;
    }
    return true;
}

// ---- the child

typedef struct Child
{
    Guest* guest;
    Channel channel;
    void* it;
    double *states, *inputs, *values;
} Child;

static void tell(void* user, bool error, const char* text)
{
    Child* c = user;
    size_t length = strlen(text);
    Answer a = {.logged = error ? 2 : 1, .size = length < TEXT_MOST ? length : TEXT_MOST};
    if (!put(&c->channel, &a, sizeof a) || !put(&c->channel, text, a.size) || !channel_send(&c->channel))
        _exit(0);  // nobody listens any more
}

static bool never(void* user)
{
    return (void)user, false;
}

static kaiStatus save_all(Child* c, Answer* a, char** bytes)
{
    size_t size = 0;
    kaiStatus status = c->guest->inside.save(c->it, NULL, &size);
    *bytes = status == KAI_OK ? malloc(size + 1) : NULL;
    if (*bytes == NULL)
        return status != KAI_OK ? status : KAI_ERR_MEMORY;
    status = c->guest->inside.save(c->it, *bytes, &size);
    a->size = status == KAI_OK ? size : 0;
    return status;
}

// Indicators and outputs that whoever asks for rates is likely to want next, if there are few.
static size_t more_count(const kaiBlock* k)
{
    size_t count = (size_t)k->indicator_count + k->output_count;
    return count <= MORE_MOST ? count : 0;
}

static kaiStatus rates_and_more(Child* c, Answer* a)
{
    const kaiBlock* k = &c->guest->inside;
    double *z = c->values + k->state_count, *y = z + k->indicator_count;
    kaiStatus status = k->get_rates(c->it, c->values);
    bool more = status == KAI_OK && more_count(k) > 0 &&
                (k->indicator_count == 0 || k->get_indicators(c->it, z) == KAI_OK) &&
                (k->output_count == 0 || k->get_outputs(c->it, y) == KAI_OK);
    a->size = sizeof(double) * (k->state_count + (more ? more_count(k) : 0));
    return status;
}

// Reads what the question brings and answers it.
static kaiStatus work(Child* c, const Question* q, char* given, Answer* a, char** bytes)
{
    const kaiBlock* k = &c->guest->inside;
    size_t number = sizeof(double);
    double* p = (double*)(void*)given;
    bool event = false;
    bool start = q->call == REMOTE_BEGIN;  // where it is moved to are its start values then
    kaiStatus status = q->moved && !start ? k->set(c->it, q->time, c->states, c->inputs) : KAI_OK;
    if (status != KAI_OK)
        return status;
    *bytes = (char*)c->values;
    switch (q->call)
    {
    case REMOTE_BEGIN:
        a->size = number * k->state_count;
        memcpy(c->values, c->states, a->size);
        return k->begin(c->it, q->time, p, c->inputs, c->values);
    case REMOTE_RATES: return rates_and_more(c, a);
    case REMOTE_OUTPUTS: a->size = number * k->output_count; return k->get_outputs(c->it, c->values);
    case REMOTE_INDICATORS: a->size = number * k->indicator_count; return k->get_indicators(c->it, c->values);
    case REMOTE_SLOPES: a->size = number * k->state_count; return k->get_slopes(c->it, (uint32_t)*p, c->values);
    case REMOTE_REACTION: a->size = number * k->output_count; return k->get_reaction(c->it, q->time, p, c->values);
    case REMOTE_COMMIT:
        a->size = number * k->state_count;
        memcpy(c->values, p + k->input_count, a->size);
        return k->commit(c->it, q->time, p, &a->events, c->values);
    case REMOTE_STEP:
        status = k->step_done != NULL ? k->step_done(c->it, &event) : KAI_OK;
        a->event = event;
        return status;
    case REMOTE_SAVE: return save_all(c, a, bytes);
    case REMOTE_RESTORE: return k->restore(c->it, given, q->size);
    default: return KAI_ERR_USAGE;
    }
}

static bool answer_one(Child* c)
{
    const kaiBlock* k = &c->guest->inside;
    Question q;
    Answer a = {0};
    char *given = NULL, *bytes = NULL;
    if (!take(&c->channel, &q, sizeof q))
        return false;
    bool whole = !q.moved || (take(&c->channel, c->states, sizeof(double) * k->state_count) &&
                              take(&c->channel, c->inputs, sizeof(double) * k->input_count));
    given = malloc(q.size + 1);
    if (!whole || given == NULL || !take(&c->channel, given, q.size))
        return free(given), false;
    a.status = work(c, &q, given, &a, &bytes);
    if (a.status != KAI_OK)
        a.size = 0;
    bool sent = put(&c->channel, &a, sizeof a) && put(&c->channel, bytes, a.size) && channel_send(&c->channel);
    if (bytes != (char*)c->values)
        free(bytes);
    return free(given), sent;
}

static size_t value_count(const kaiBlock* k)
{
    return (size_t)k->state_count + k->output_count + k->indicator_count + 1;
}

static void be_alone(int socket)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN);
    static const int deadly[] = {SIGTERM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        signal(deadly[i], SIG_DFL);  // the one outside sees how it died
    dup2(STDERR_FILENO, STDOUT_FILENO);
    if (socket > 3)
        close_range(3, (unsigned)socket - 1, 0);
    close_range((unsigned)socket + 1, ~0u, 0);
}

static _Noreturn void live(Guest* g, const kaiBlockHost* outer, int socket)
{
    Child c = {.guest = g};
    const kaiBlock* k = &g->inside;
    kaiBlockHost host = *outer;
    c.channel.socket = socket;
    be_alone(socket);
    pthread_mutex_init(&g->lock, NULL);  // whoever held it is not here
    c.states = calloc(k->state_count + k->input_count + value_count(k), sizeof(double));
    if (c.states == NULL)
        _exit(1);
    c.inputs = c.states + k->state_count;
    c.values = c.inputs + k->input_count;
    host.user = &c;
    host.log = tell;
    host.interrupted = never;
    host.allocator = kaiDefaultAllocator();
    Answer a = {.status = k->open(&g->block, &host, &c.it)};
    if (put(&c.channel, &a, sizeof a) && channel_send(&c.channel) && a.status == KAI_OK)
        while (answer_one(&c))
            ;
    if (a.status == KAI_OK)
        k->close(c.it);
    _exit(0);
}

// ---- the parent

static void end_child(Remote* r)
{
    if (r->child <= 0)
        return;
    kill(r->child, SIGKILL);
    waitpid(r->child, NULL, 0);
    r->child = 0;
}

// No more questions: it lets its FMU free what it holds and goes, which closes its end of the socket.
static void dismiss_child(Remote* r)
{
    char last[TEXT_MOST];
    struct pollfd fd = {.fd = r->channel.socket, .events = POLLIN};
    if (r->child > 0 && shutdown(r->channel.socket, SHUT_WR) == 0)
        while (poll(&fd, 1, LEAVE_MS) > 0 && recv(r->channel.socket, last, sizeof last, 0) > 0)
            ;
    end_child(r);
}

static kaiStatus lose(Remote* r, RemoteCall call)
{
    char text[200];
    int how = 0;
    pid_t gone = r->child > 0 ? waitpid(r->child, &how, 0) : 0;
    r->child = 0;
    if (gone > 0 && WIFSIGNALED(how))
        snprintf(text, sizeof text, "its process crashed in %s: %s", call_names[call], strsignal(WTERMSIG(how)));
    else if (gone > 0)
        snprintf(text, sizeof text, "its process ended in %s, with exit code %d", call_names[call], WEXITSTATUS(how));
    else
        snprintf(text, sizeof text, "its process is gone");
    r->host.log(r->host.user, true, text);
    return KAI_ERR_RUN;
}

static bool hear(Remote* r, const Answer* a)
{
    char text[TEXT_MOST + 1];
    if (a->size > TEXT_MOST || !take(&r->channel, text, a->size))
        return false;
    text[a->size] = 0;
    r->host.log(r->host.user, a->logged == 2, text);
    return true;
}

static kaiStatus await(Remote* r, RemoteCall call, Answer* a)
{
    char text[200];
    for (;;)
    {
        bool got = take(&r->channel, a, sizeof *a) && (a->logged == 0 || hear(r, a));
        if (got && a->logged == 0)
            return KAI_OK;
        if (!got && r->channel.silent)
        {
            end_child(r);
            snprintf(text, sizeof text, "it has not answered in %s, and the time of the run is over", call_names[call]);
            return r->host.log(r->host.user, true, text), KAI_ERR_RUN;
        }
        if (!got)
            return lose(r, call);
    }
}

// The question goes out, with where the block was set; the answer of `size` bytes (exactly) comes in.
static kaiStatus ask(Remote* r, RemoteCall call, double t, const void* first, size_t first_size, const void* second,
                     size_t second_size, Answer* a)
{
    const kaiBlock* k = &r->guest->block;
    Question q = {.call = call, .moved = r->moved, .size = first_size + second_size};
    q.time = r->moved ? r->time : t;
    if (r->child <= 0)
        return lose(r, call);
    bool sent = put(&r->channel, &q, sizeof q);
    if (r->moved)
        sent = sent && put(&r->channel, r->states, sizeof(double) * k->state_count) &&
               put(&r->channel, r->inputs, sizeof(double) * k->input_count);
    r->moved = false;
    r->has_more = false;
    sent = sent && put(&r->channel, first, first_size) && put(&r->channel, second, second_size) &&
           channel_send(&r->channel);
    return sent ? await(r, call, a) : lose(r, call);
}

static kaiStatus get_with(Remote* r, RemoteCall call, double t, const double* inputs, size_t given, double* values,
                          uint32_t count)
{
    Answer a;
    kaiStatus status = ask(r, call, t, inputs, sizeof(double) * given, NULL, 0, &a);
    if (status != KAI_OK)
        return status;
    size_t size = a.status == KAI_OK ? sizeof(double) * count : 0;
    if (a.size != size || !take(&r->channel, values, size))
        return lose(r, call);
    return (kaiStatus)a.status;
}

static kaiStatus get(Remote* r, RemoteCall call, double* values, uint32_t count)
{
    return get_with(r, call, 0, NULL, 0, values, count);
}

static size_t remote_size(const kaiBlock* k)
{
    return sizeof(Remote) + sizeof(double) * (k->state_count + k->input_count + MORE_MOST);
}

static void close_remote(void* instance)
{
    Remote* r = instance;
    kaiAllocator allocator = r->host.allocator;
    const kaiBlock* k = &r->guest->block;
    dismiss_child(r);
    close(r->channel.socket);
    size_t size = remote_size(k);
    allocator.alloc(allocator.user, r, size, 0);
}

static kaiStatus start_child(Remote* r)
{
    int pair[2];
    Answer a;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return KAI_ERR_IO;
    fflush(NULL);
    struct timeval look = {.tv_usec = LOOK_MS * 1000};
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &look, sizeof look);
    r->channel.socket = pair[0];
    r->child = fork();
    if (r->child == 0)
        live(r->guest, &r->host, pair[1]);
    close(pair[1]);
    if (r->child < 0)
        return KAI_ERR_IO;
    kaiStatus status = await(r, REMOTE_OPEN, &a);
    return status == KAI_OK ? (kaiStatus)a.status : status;
}

static kaiStatus open_remote(const kaiBlock* block, const kaiBlockHost* host, void** instance)
{
    Guest* g = (Guest*)(uintptr_t)block;
    char why[400] = "";
    if (!guest_unpack(g, why, sizeof why))
        return host->log(host->user, true, why), KAI_ERR_IO;
    size_t size = remote_size(block);
    Remote* r = host->allocator.alloc(host->allocator.user, NULL, 0, size);
    if (r == NULL)
        return KAI_ERR_MEMORY;
    memset(r, 0, size);
    r->guest = g;
    r->host = *host;
    r->channel.socket = -1;
    r->channel.host = &r->host;
    r->states = (double*)(void*)(r + 1);
    r->inputs = r->states + block->state_count;
    r->more = r->inputs + block->input_count;
    kaiStatus status = start_child(r);
    if (status != KAI_OK)
        return close_remote(r), status;
    *instance = r;
    return KAI_OK;
}

static kaiStatus set(void* instance, double t, const double* states, const double* inputs)
{
    Remote* r = instance;
    const kaiBlock* k = &r->guest->block;
    if (k->state_count > 0)
        memcpy(r->states, states, sizeof(double) * k->state_count);
    if (k->input_count > 0)
        memcpy(r->inputs, inputs, sizeof(double) * k->input_count);
    r->time = t;
    r->moved = true;
    return KAI_OK;
}

static kaiStatus begin(void* instance, double t, const double* parameters, const double* inputs, double* states)
{
    Remote* r = instance;
    const kaiBlock* k = &r->guest->block;
    size_t size = sizeof(double) * k->state_count;
    Answer a;
    set(r, t, states, inputs);
    kaiStatus status = ask(r, REMOTE_BEGIN, t, parameters, sizeof(double) * k->parameter_count, NULL, 0, &a);
    if (status != KAI_OK || a.status != KAI_OK)
        return status != KAI_OK ? status : (kaiStatus)a.status;
    return a.size == size && take(&r->channel, states, size) ? KAI_OK : lose(r, REMOTE_BEGIN);
}

static kaiStatus get_rates(void* instance, double* rates)
{
    Remote* r = instance;
    const kaiBlock* k = &r->guest->block;
    size_t size = sizeof(double) * k->state_count, more = sizeof(double) * more_count(k);
    Answer a;
    kaiStatus status = ask(r, REMOTE_RATES, 0, NULL, 0, NULL, 0, &a);
    if (status != KAI_OK || a.status != KAI_OK)
        return status != KAI_OK ? status : (kaiStatus)a.status;
    if ((a.size != size && a.size != size + more) || !take(&r->channel, rates, size))
        return lose(r, REMOTE_RATES);
    r->has_more = a.size > size;
    return !r->has_more || take(&r->channel, r->more, more) ? KAI_OK : lose(r, REMOTE_RATES);
}

// What came with the rates, if it did.
static bool recall(const Remote* r, double* values, size_t first, size_t count)
{
    if (!r->has_more || r->moved)
        return false;
    memcpy(values, r->more + first, sizeof(double) * count);
    return true;
}

static kaiStatus get_slopes(void* instance, uint32_t known, double* slopes)
{
    Remote* r = instance;
    double which = known;
    return get_with(r, REMOTE_SLOPES, 0, &which, 1, slopes, r->guest->block.state_count);
}

static kaiStatus get_outputs(void* instance, double* outputs)
{
    Remote* r = instance;
    const kaiBlock* k = &r->guest->block;
    return recall(r, outputs, k->indicator_count, k->output_count) ? KAI_OK
                                                                   : get(r, REMOTE_OUTPUTS, outputs, k->output_count);
}

static kaiStatus get_indicators(void* instance, double* indicators)
{
    Remote* r = instance;
    uint32_t count = r->guest->block.indicator_count;
    return recall(r, indicators, 0, count) ? KAI_OK : get(r, REMOTE_INDICATORS, indicators, count);
}

static kaiStatus get_reaction(void* instance, double t, const double* inputs, double* outputs)
{
    Remote* r = instance;
    const kaiBlock* k = &r->guest->block;
    return get_with(r, REMOTE_REACTION, t, inputs, k->input_count, outputs, k->output_count);
}

static kaiStatus commit(void* instance, double t, const double* inputs, kaiBlockEvents* events, double* states)
{
    Remote* r = instance;
    const kaiBlock* k = &r->guest->block;
    size_t size = sizeof(double) * k->state_count;
    Answer a;
    kaiStatus status = ask(r, REMOTE_COMMIT, t, inputs, sizeof(double) * k->input_count, states, size, &a);
    if (status != KAI_OK || a.status != KAI_OK)
        return status != KAI_OK ? status : (kaiStatus)a.status;
    *events = a.events;
    return a.size == size && take(&r->channel, states, size) ? KAI_OK : lose(r, REMOTE_COMMIT);
}

static kaiStatus step_done(void* instance, bool* event)
{
    Remote* r = instance;
    Answer a;
    kaiStatus status = ask(r, REMOTE_STEP, 0, NULL, 0, NULL, 0, &a);
    *event = status == KAI_OK && a.event != 0;
    return status == KAI_OK ? (kaiStatus)a.status : status;
}

// The size is asked for with all the bytes, which then go: states are small beside what is between two snapshots.
static kaiStatus save(void* instance, void* bytes, size_t* size)
{
    Remote* r = instance;
    Answer a;
    kaiStatus status = ask(r, REMOTE_SAVE, 0, NULL, 0, NULL, 0, &a);
    if (status != KAI_OK || a.status != KAI_OK)
        return status != KAI_OK ? status : (kaiStatus)a.status;
    if (a.size > SAVED_MOST || (bytes != NULL && a.size != *size))
        return end_child(r), lose(r, REMOTE_SAVE);
    char* kept = bytes != NULL ? bytes : malloc(a.size + 1);
    bool got = kept != NULL && take(&r->channel, kept, a.size);
    if (bytes == NULL)
        free(kept);
    *size = a.size;
    return got ? KAI_OK : lose(r, REMOTE_SAVE);
}

static kaiStatus restore(void* instance, const void* bytes, size_t size)
{
    Remote* r = instance;
    Answer a;
    r->moved = false;
    kaiStatus status = ask(r, REMOTE_RESTORE, 0, bytes, size, NULL, 0, &a);
    return status == KAI_OK ? (kaiStatus)a.status : status;
}

void guest_isolate(Guest* g)
{
    kaiBlock* b = &g->block;
    g->inside = *b;
    b->open = open_remote;
    b->close = close_remote;
    b->begin = begin;
    b->set = set;
    b->get_rates = get_rates;
    b->get_slopes = b->get_slopes != NULL ? get_slopes : NULL;
    b->get_outputs = get_outputs;
    b->get_indicators = get_indicators;
    b->commit = commit;
    b->get_reaction = b->get_reaction != NULL ? get_reaction : NULL;
    b->step_done = b->step_done != NULL ? step_done : NULL;
    b->save = save;
    b->restore = restore;
}

#endif
