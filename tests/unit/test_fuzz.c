// Hostile texts through the whole library: mutated and truncated models, noise, depth, length, size. Nothing crashes,
// nothing hangs, nothing leaks; a text that is rejected gets a diagnostic that says something; a text that loads is run
// for a while, and a run that fails says why. Deterministic: the same texts every time.
#include "kairos/kairos.h"
#include "unit/load.h"
#include "unit/snippets.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include <cmocka.h>

enum
{
    MUTANTS = 2400,
    ROWS_MAX = 300,           // rows after which a run is stopped
    RUN_MICROSECONDS = 30000  // processor time after which it is stopped
};

// ------------------------------------------------------------------------------------------------------------- chance

static uint64_t chance_state = 1;

static uint32_t chance(uint32_t below)
{
    uint64_t z = chance_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ z >> 31) >> 32) % below;
}

// -------------------------------------------------------------------------------------------------------------- seeds

// Small models that run, with most of what runs today in them, so that many mutants run too.
static const char* const runnable[] = {
    "model Ball {\n  param g [m/s^2] = 9.81, e = 0.8, slow [m/s] = 0.01\n  state y [m] = 1, v [m/s] = 0\n"
    "  event hit = down(y)\n  modes {\n    initial mode falling {\n      y' = v\n      v' = -g\n"
    "      when hit { v := -e*v }\n      on hit if abs(v) < slow -> sitting { y := 0 }\n    }\n"
    "    mode sitting { y' = 0; v' = 0 }\n  }\n}\n"
    "experiment bounce of Ball { stop = 5[s]; expect time_of(hit, 1) ~ 0.45 within 0.1; expect final(y) ~ 0 within "
    "1e-9 }\n",

    "model Sampled {\n  input u = 1\n  param T = 0.1\n  state x = 0\n  discrete n = 0, last = 0\n"
    "  event tick = clock(T), s = sample(x, tick), report, echo = delay(report, 0.25)\n"
    "  signal h = hold(s, -1), far = delay(x, 0.3), d = default(s, 7)\n  x' = u - x + 0.1*far\n"
    "  when tick { n := n + 1; emit report(x) }\n  when echo { last := echo }\n"
    "  when cross(x - 0.5) or present(report) { n := n + 10 }\n  assert x < 100 \"bounded\"\n}\n"
    "experiment e of Sampled(T = 0.2) { start = 0; stop = 2; rtol = 1e-6; solver = rk23; record x, n every 0.05\n"
    "  sweep T from 0.1 to 0.3 by 0.1; expect at(1, x) > 0.5; expect max(h) ~ 0.8 within 0.5 }\n",

    "function after(m, v, mo, vo, e) = (m*v + mo*vo + mo*e*(vo - v)) / (m + mo)\n"
    "model Mass { param m [kg] = 1; state x [m] = 0, v [m/s] = 0; x' = v; v' = 0 }\n"
    "model Row {\n  param N = 3, e = 0.9\n  b : Mass[i in 1..N](x = 1.5*i, v = 2 - i)\n  choose {\n    for i in 1..N - "
    "1 {\n"
    "      when b[i].x >= b[i + 1].x and b[i].v > b[i + 1].v {\n"
    "        b[i].v := after(b[i].m, b[i].v, b[i + 1].m, b[i + 1].v, e)\n"
    "        b[i + 1].v := after(b[i + 1].m, b[i + 1].v, b[i].m, b[i].v, e)\n      }\n    }\n  }\n"
    "  signal p = sum(i in 1..N, b[i].m*b[i].v)\n  if N > 2 { signal q = greatest(i in 1..N, abs(b[i].v)) }\n}\n"
    "experiment e of Row { stop = 6; choice = random; seed = 3; expect final(p) ~ 0 within 1e-9 }\n",

    "model Stiff {\n  param mu = 20\n  state x = 2, y = 0\n  x' = y\n  y' = mu*((1 - x^2)*y - x)\n"
    "  signal a = if x > 0 then min(x, 1) else max(x, -1), k = floor(3*x), r = mod(time, 0.3), z = smooth(abs(y))\n"
    "  discrete flips = 0\n  when x < 0 { flips := flips + 1 }\n  when time >= 0.7 if flips == 0 { x := x*0.5 }\n}\n"
    "experiment e of Stiff { stop = 1; solver = rosenbrock; breakpoint_solver = same; root = illinois; max_step = 0.1 "
    "}\n",

    "model Loop {\n  state s = 0.5\n  s' = 1 - s\n  signal a = if s > 0.7 then b + 1 else 2, b = if s > 0.7 then 3 "
    "else a + 1\n"
    "  discrete n = 0\n  signal p = pre(n, 0) + 1\n  initial w == 2*s\n  state w\n  w' = der(a*s)\n"
    "  modes { initial mode one { state t = 0; t' = 1; on t > 0.4 and s < 0.9 -> two { n := n + 1 } }\n"
    "    mode two { modes { initial mode inner { on s > 0.8 -> out }  mode out { signal deep = s } }\n"
    "      preempt on s > 0.95 -> resume one } }\n  when n > 1 { halt \"enough\" }\n}\n"
    "experiment e of Loop { stop = 3; solver = cvode_bdf; zeno = stop; max_microsteps = 50 }\n",
};

enum
{
    RUNNABLE = sizeof runnable / sizeof *runnable,
    SEEDS_MAX = 100
};

typedef struct Text
{
    char* at;
    size_t length;
} Text;

static Text seeds[SEEDS_MAX];
static uint32_t seed_count;

static Text text_of(const char* at, size_t length)
{
    Text text = {malloc(length + 1), length};
    if (text.at == NULL)
        abort();
    memcpy(text.at, at, length);
    text.at[length] = 0;
    return text;
}

static void add_file(const char* path)
{
    FILE* file = fopen(path, "r");
    if (file == NULL)
        return;
    char buffer[20000];
    size_t length = fread(buffer, 1, sizeof buffer, file);
    fclose(file);
    buffer[length < sizeof buffer ? length : 0] = 0;
    bool large =
        strstr(buffer, "N = ") != NULL && atoi(strstr(buffer, "N = ") + 4) > 100;  // mutants of it take too long
    if (length < sizeof buffer && seed_count < SEEDS_MAX && !large)
        seeds[seed_count++] = text_of(buffer, length);
}

static int compare_texts(const void* a, const void* b)
{
    return strcmp(((const Text*)a)->at, ((const Text*)b)->at);
}

static void add_examples(void)
{
    uint32_t first = seed_count;
    DIR* folder = opendir("examples");
    if (folder == NULL)
        return;
    for (struct dirent* entry; (entry = readdir(folder)) != NULL;)
    {
        char path[600];
        snprintf(path, sizeof path, "examples/%s/model.kai", entry->d_name);
        add_file(path);
    }
    closedir(folder);
    qsort(seeds + first, seed_count - first, sizeof *seeds, compare_texts);  // folders come in any order
}

static int make_seeds(void** state)
{
    (void)state;
    for (int i = 0; i < RUNNABLE; i++)
        seeds[seed_count++] = text_of(runnable[i], strlen(runnable[i]));
    for (int i = 0; i < SNIPPETS; i++)
        seeds[seed_count++] = text_of(snippets[i], strlen(snippets[i]));
    add_examples();
    return 0;
}

static int free_seeds(void** state)
{
    (void)state;
    while (seed_count > 0)
        free(seeds[--seed_count].at);
    return 0;
}

// ------------------------------------------------------------------------------------------------------------- mutants

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

// A token of the text, roughly: a word or number, or one character.
static void find_token(const Text* text, size_t* start, size_t* end)
{
    *start = *end = text->length > 0 ? chance((uint32_t)text->length) : 0;
    if (text->length == 0)
        return;
    if (!is_word(text->at[*start]))
    {
        ++*end;
        return;
    }
    while (*start > 0 && is_word(text->at[*start - 1]))
        --*start;
    while (*end < text->length && is_word(text->at[*end]))
        ++*end;
}

static void replace(Text* text, size_t start, size_t end, const char* with, size_t length)
{
    Text made = {malloc(text->length - (end - start) + length + 1), text->length - (end - start) + length};
    if (made.at == NULL)
        abort();
    memcpy(made.at, text->at, start);
    memcpy(made.at + start, with, length);
    memcpy(made.at + start + length, text->at + end, text->length - end);
    made.at[made.length] = 0;
    free(text->at);
    *text = made;
}

static const char* const pieces[] = {
    "0",
    "-1",
    "1e308",
    "1e-320",
    "3",
    "0/0",
    "inf",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    ";",
    ",",
    "'",
    ":=",
    "=",
    "==",
    "<",
    "+",
    "*",
    "when",
    "if",
    "emit",
    "pre(",
    "not ",
    "x",
    "y",
    "state ",
    "event ",
    "signal ",
    "discrete ",
    "modes {",
    "mode ",
    "initial ",
    "on ",
    "-> ",
    "choose {",
    "for ",
    "[m]",
    "[kg*m/s^2]",
    "clock(0)",
    "clock(1e-9)",
    "delay(x, 0)",
    "time",
    "true",
    "absent",
    "\"",
    "//",
    "\n",
    " ",
    "import \"x\"",
    "halt",
    "\xc3\xa4",
    "model M {",
    "hold(",
    "sample(",
    "down(",
    "default(",
    "1..9",
    "999999999",
    "0.1[s]",
    "resume ",
    "preempt ",
    "\xff",
};

static void mutate_once(Text* text)
{
    size_t start, end, other_start, other_end;
    find_token(text, &start, &end);
    find_token(text, &other_start, &other_end);
    Text copy = text_of(text->at + other_start, other_end - other_start);
    const char* piece = pieces[chance(sizeof pieces / sizeof *pieces)];
    char byte = (char)chance(256);
    switch (chance(9))
    {
    case 0: replace(text, start, end, "", 0); break;
    case 1: replace(text, start, end, piece, strlen(piece)); break;
    case 2: replace(text, start, start, piece, strlen(piece)); break;
    case 3:
    case 4:
    case 5: replace(text, start, end, copy.at, copy.length); break;
    case 6: replace(text, start, start, copy.at, copy.length); break;
    case 7: replace(text, start, start + (text->length > start), byte != 0 ? &byte : "0", 1); break;
    default:
    {
        size_t length = chance(60);
        if (start + length > text->length)
            length = text->length - start;
        replace(text, start, start + length, "", 0);
        break;
    }
    }
    free(copy.at);
}

static Text mutant(void)
{
    const Text* seed = chance(3) > 0 ? &seeds[chance(RUNNABLE)] : &seeds[chance(seed_count)];
    Text text = text_of(seed->at, seed->length);
    if (chance(12) == 0)
        replace(&text, chance((uint32_t)text.length), text.length, "", 0);
    if (chance(12) == 0)
    {
        const Text* other = &seeds[chance(seed_count)];
        size_t start = chance((uint32_t)other->length);
        replace(&text, chance((uint32_t)text.length), text.length, other->at + start, other->length - start);
    }
    for (uint32_t i = chance(4); i > 0 || chance(4) == 0; i -= i > 0)
        mutate_once(&text);
    return text;
}

// --------------------------------------------------------------------------------------------------------------
// judging

typedef struct Tally
{
    int texts, rejected, loaded, ended, failed, stopped;
    double slowest;
} Tally;

static long live_bytes;

static void* counted_alloc(void* user, void* block, size_t old_size, size_t size)
{
    (void)user;
    live_bytes += (long)size - (block != NULL ? (long)old_size : 0);
    if (size > 0)
        return realloc(block, size);
    free(block);
    return NULL;
}

static double cpu_time(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void show(const char* what, const char* text)
{
    print_message("%s:\n%.3000s\n----\n", what, text);
}

// What a rejected text must come with.
static void check_messages(kaiProgram* messages, kaiStatus status, const char* text)
{
    assert_non_null(messages);
    if (status == KAI_ERR_MODEL && kaiProgram_ErrorCount(messages) == 0)
        show("rejected without an error", text);
    assert_int_equal(status == KAI_ERR_MODEL, kaiProgram_ErrorCount(messages) > 0);
    for (int i = 0; i < kaiProgram_MessageCount(messages); i++)
    {
        const kaiError* d = kaiProgram_Message(messages, i);
        bool fine = d->message != NULL && d->message[0] != 0 && d->code != NULL && d->code[0] == 'K';
        fine = fine && (d->place.file == NULL || (d->place.line >= 1 && d->place.column >= 1));
        fine = fine && kaiProgram_MessageText(messages, i, i % 2 == 0)[0] != 0;
        if (!fine)
            show("a diagnostic that says nothing", text);
        assert_true(fine);
    }
}

static volatile int interrupt;

static void on_timer(int number)
{
    interrupt = number;
}

static void set_timer(long microseconds)
{
    struct itimerval timer = {.it_value = {.tv_sec = microseconds / 1000000, .tv_usec = microseconds % 1000000}};
    setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

static kaiStatus count_row(void* user, const kaiRow* row)
{
    int* rows = user;
    (void)row;
    return ++*rows < ROWS_MAX ? KAI_OK : KAI_INTERRUPTED;
}

static void run_briefly(const kaiModel* model, const char* text, Tally* tally)
{
    int rows = 0;
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.allocator.alloc = counted_alloc;
    options.stop = fmin(options.stop, options.start + 3);
    options.max_microsteps = options.max_microsteps < 60 ? options.max_microsteps : 60;
    options.row = count_row;
    options.row_user = &rows;
    options.interrupt = &interrupt;
    kaiError failure = {0};
    kaiSim* sim = kaiSim_Create(model, &options, &failure);
    if (sim == NULL)
    {
        assert_true(failure.status < 0 && failure.message != NULL && failure.message[0] != 0);
        tally->failed++;
        return;
    }
    interrupt = 0;
    set_timer(RUN_MICROSECONDS);
    kaiStatus status = kaiSim_Run(sim);
    set_timer(0);
    const kaiError* why = kaiSim_Failure(sim);
    bool fine =
        status != KAI_OK && status != KAI_INSTANT && (status > 0 || (why->message != NULL && why->message[0] != 0));
    if (!fine)
        show("a run that ends without a reason", text);
    assert_true(fine);
    tally->ended += status == KAI_END;
    tally->failed += status < 0;
    tally->stopped += status == KAI_INTERRUPTED;
    kaiExpectResult result;
    for (int i = 0; status == KAI_END && i < kaiModel_ExpectCount(model); i++)
        kaiSim_Expect(sim, i, &result);
    kaiSim_Free(sim);
}

static void load_and_run(LoadOptions options, const char* text, Tally* tally)
{
    kaiProgram* program = NULL;
    kaiModel* model = NULL;
    kaiExperiment experiment;
    kaiStatus status = load_program(&options, &program);
    if (kaiProgram_Experiment(program, 0, &experiment))
        options.experiment = experiment.name;
    kaiCompileOptions compile = load_compile(&options);
    status = kaiProgram_Compile(program, &compile, &model);
    check_messages(program, status, text);
    kaiProgram_Free(program);
    assert_int_equal(status == KAI_OK, model != NULL);
    if (model != NULL)
    {
        tally->loaded++;
        run_briefly(model, text, tally);
    }
    kaiModel_Free(model);
}

static kaiStatus judge(const char* text, Tally* tally, bool run)
{
    LoadOptions options = load_default();
    options.path = "fuzz.kai";
    options.text = text;
    options.allocator.alloc = counted_alloc;
    kaiProgram* messages = NULL;
    double begun = cpu_time();
    live_bytes = 0;
    kaiStatus status = load_check(&options, &messages);
    check_messages(messages, status, text);
    kaiProgram_Free(messages);
    tally->texts++;
    tally->rejected += status != KAI_OK;
    if (run)
        load_and_run(options, text, tally);
    if (live_bytes != 0)
        show("memory is left", text);
    assert_int_equal(live_bytes, 0);
    double seconds = cpu_time() - begun;
    if (seconds > 60)
        show("too slow", text);
    assert_true(seconds < 60);
    tally->slowest = fmax(tally->slowest, seconds);
    return status;
}

static void print_tally(const Tally* t)
{
    print_message("%d texts: %d rejected, %d run (%d to the end, %d failed, %d stopped); the slowest took %.3f s\n",
                  t->texts, t->rejected, t->loaded, t->ended, t->failed, t->stopped, t->slowest);
}

// ----------------------------------------------------------------------------------------------------------------
// tests

static void test_seeds_run(void** state)
{
    (void)state;
    for (int i = 0; i < RUNNABLE; i++)
    {
        Tally tally = {0};
        if (judge(runnable[i], &tally, true) != KAI_OK)
            show("a seed that should run", runnable[i]);
        assert_int_equal(tally.rejected, 0);
        assert_int_equal(tally.loaded, 1);
        if (tally.failed > 0)
            show("a seed that should run", runnable[i]);
        assert_int_equal(tally.failed, 0);
    }
}

static void test_mutants(void** state)
{
    (void)state;
    Tally tally = {0};
    chance_state = 1;
    const char* only = getenv("KAIROS_FUZZ_ONLY");  // to look at one text again
    const char* many = getenv("KAIROS_FUZZ_MUTANTS");
    int count = many != NULL ? atoi(many) : MUTANTS;
    for (int i = 0; i < count; i++)
    {
        Text text = mutant();
        if (only == NULL || atoi(only) == i)
        {
            if (only != NULL)
                show("text", text.at);
            judge(text.at, &tally, true);
        }
        free(text.at);
    }
    print_tally(&tally);
    assert_true(only != NULL || (tally.rejected > count / 4 && tally.loaded > count / 10));
}

static void test_truncated(void** state)
{
    (void)state;
    Tally tally = {0};
    for (uint32_t i = 0; i < seed_count; i++)
        for (size_t k = 0; k < 12; k++)
        {
            Text text = text_of(seeds[i].at, seeds[i].length * k / 12);
            judge(text.at, &tally, true);
            free(text.at);
        }
    print_tally(&tally);
}

static void test_noise(void** state)
{
    (void)state;
    Tally tally = {0};
    chance_state = 2;
    char text[3000];
    for (int i = 0; i < 200; i++)
    {
        uint32_t length = chance(sizeof text - 1), range = i % 2 == 0 ? 255 : 95, first = i % 2 == 0 ? 1 : 32;
        for (uint32_t k = 0; k < length; k++)
            text[k] = (char)(first + chance(range));
        text[length] = 0;
        judge(text, &tally, true);
    }
    print_tally(&tally);
}

static Text repeated(const char* head, const char* piece, size_t times, const char* middle, const char* close,
                     const char* tail)
{
    size_t length = strlen(head) + times * (strlen(piece) + strlen(close)) + strlen(middle) + strlen(tail);
    Text text = {malloc(length + 1), length};
    if (text.at == NULL)
        abort();
    char* at = stpcpy(text.at, head);
    for (size_t i = 0; i < times; i++)
        at = stpcpy(at, piece);
    at = stpcpy(at, middle);
    for (size_t i = 0; i < times; i++)
        at = stpcpy(at, close);
    stpcpy(at, tail);
    return text;
}

static void expect_rejected(Text text, Tally* tally)
{
    if (judge(text.at, tally, false) == KAI_OK)
        show("this should be rejected", text.at);
    assert_int_equal(tally->rejected, tally->texts);
    free(text.at);
}

static void test_deep(void** state)
{
    (void)state;
    const size_t deep = 100000;
    const char* head = "model M { signal y = ";
    Tally tally = {0};
    expect_rejected(repeated(head, "(", deep, "1", ")", " }\n"), &tally);
    expect_rejected(repeated(head, "(", deep, "1", "", " }\n"), &tally);
    expect_rejected(repeated(head, "", deep, "1", ")", " }\n"), &tally);
    expect_rejected(repeated(head, "-", deep, "1", "", " }\n"), &tally);
    expect_rejected(repeated(head, "not ", deep, "true", "", " }\n"), &tally);
    expect_rejected(repeated(head, "sin(", deep, "1", ")", " }\n"), &tally);
    expect_rejected(repeated(head, "[", deep, "1", "]", " }\n"), &tally);
    expect_rejected(repeated(head, "if true then ", deep, "1", " else 2", " }\n"), &tally);
    expect_rejected(repeated(head, "2^", deep, "1", "", " }\n"), &tally);
    expect_rejected(repeated(head, "a[", deep, "1", "]", " }\n"), &tally);
    expect_rejected(repeated(head, "a.", deep, "b", "", " }\n"), &tally);
    expect_rejected(repeated("model M { ", "modes { initial mode a { ", deep, "x = 1", "}}", "}\n"), &tally);
    expect_rejected(repeated("model M { ", "for i in 1..2 { ", deep, "x = 1", "}", "}\n"), &tally);
    expect_rejected(repeated("model M { ", "if true { ", deep, "x = 1", "}", "}\n"), &tally);
    expect_rejected(repeated("", "{", deep, "", "}", "\n"), &tally);
    expect_rejected(repeated("", "model M { ", deep, "", "}", "\n"), &tally);
    print_tally(&tally);
}

static void test_long(void** state)
{
    (void)state;
    const size_t big = 10 * 1000 * 1000;
    Tally tally = {0};
    Text comment = repeated("model M { signal y = 1 } // ", "x", big, "", "", "\n");
    judge(comment.at, &tally, false);
    assert_int_equal(tally.rejected, 0);
    free(comment.at);
    tally = (Tally){0};
    expect_rejected(repeated("model M { signal y = 1 } ", "", 0, "", "", "x"), &tally);
    expect_rejected(repeated("model M { signal y = z", "z", big, "", "", " }\n"), &tally);
    expect_rejected(repeated("model M { signal y = 1", "+1", big / 2, "", "", " }\n"), &tally);
    expect_rejected(repeated("model M \"", "x", big, "", "", "\n"), &tally);
    expect_rejected(repeated("model M { signal y = 1", "0", big, "", "", ".. }\n"), &tally);
    expect_rejected(repeated("model M { ", "; ) ", big / 40, "", "", " }\n"), &tally);
    expect_rejected(repeated("model M { ", "\x80", big, "", "", " }\n"), &tally);
    print_tally(&tally);
}

// Short texts that mean something enormous.
static void test_large(void** state)
{
    (void)state;
    static const char* const texts[] = {
        "model A { state x = 0; x' = 1 }\nmodel M { a : A[i in 1..1000000000] }\n",
        "model M { state x[i in 1..999999999] = 0 }\n",
        "model M { for i in 1..1000000000 { signal y = 1 } }\n",
        "model M { signal y = sum(i in 1..1000000000, i) }\n",
        "model M { a : M }\n",
        "model A { b : B }\nmodel B { a : A }\n",
        "function f(x) = f(x)\nmodel M { signal y = f(1) }\n",
        "model M { param a = b, b = a }\n",
    };
    Tally tally = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_rejected(text_of(texts[i], strlen(texts[i])), &tally);
    print_tally(&tally);
}

int main(void)
{
    signal(SIGVTALRM, on_timer);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seeds_run), cmocka_unit_test(test_mutants), cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_noise),     cmocka_unit_test(test_deep),    cmocka_unit_test(test_long),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, make_seeds, free_seeds);
}
