// Two results against each other: values, times of events, sequences of modes, rows that only one has, results with
// several runs; and results that go on after an interruption. The tables are written here, so what differs is known.
#include "kairos/compare.h"
#include "kairos/kairos.h"
#include "unit/heap.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/kairos-compare-XXXXXX";

static const char* put(const char* name, const char* text)
{
    static char paths[2][100];
    static int next;
    char* path = paths[next++ % 2];
    snprintf(path, 100, "%s/%s.csv", folder, name);
    FILE* out = fopen(path, "w");
    fputs(text, out);
    fclose(out);
    return path;
}

static char told[4000];

static void on_difference(void* user, const kaiDifference* d)
{
    (void)user;
    size_t used = strlen(told);
    snprintf(told + used, sizeof told - used, "%s%s%s at %g,%d,%d: %s\n", d->run, d->run[0] != 0 ? ": " : "", d->signal,
             d->tag.t, d->tag.p, d->tag.m, d->text);
}

static kaiCompareOptions usual(void)
{
    kaiCompareOptions options = kaiDefaultCompareOptions();
    options.difference = on_difference;
    return options;
}

#define HEAD "t,p,m,x,hit,mode\n"
static const char plain[] = HEAD "0,0,0,1,,a\n1,-1,0,2,,a\n1,0,0,2,1,a\n1,1,0,0,,b\n2,0,0,1,,b\n";

static kaiComparison compare(const char* first, const char* second, const kaiCompareOptions* options)
{
    kaiComparison result;
    kaiError error;
    told[0] = 0;
    kaiStatus status = kaiResult_Compare(put("a", first), put("b", second), options, &result, &error);
    if (status != KAI_OK)
        print_message("%s\n", error.message);
    assert_int_equal(status, KAI_OK);
    return result;
}

static void says(const char* words)
{
    if (strstr(told, words) == NULL)
        print_message("%s instead of %s\n", told, words);
    assert_non_null(strstr(told, words));
}

static void test_values(void** state)
{
    (void)state;
    kaiCompareOptions o = usual();
    kaiComparison c = compare(plain, plain, &o);
    assert_true(c.signals == 3 && c.differing == 0 && c.runs == 1 && c.same_rows);
    const char* other = HEAD "0,0,0,1,,a\n1,-1,0,2,,a\n1,0,0,2,1,a\n1,1,0,0.25,,b\n2,0,0,1.5,,b\n";
    c = compare(plain, other, &o);
    assert_int_equal(c.differing, 1);
    says("x at 1,1,0: 0 and 0.25, 0.25 apart (tolerance 2e-06)");
    o.absolute = 0.4;
    compare(plain, other, &o);
    says("x at 2,0,0: 1 and 1.5");
    o.absolute = 0.5;
    assert_int_equal(compare(plain, other, &o).differing, 0);
    o.absolute = 0;
    o.relative = 0.25;  // of 2
    assert_int_equal(compare(plain, other, &o).differing, 0);
    o.relative = 1e-6;
    kaiTolerance x = {"x", 0.5, NAN, NAN};
    o.signals = &x;
    o.signal_count = 1;
    assert_int_equal(compare(plain, other, &o).differing, 0);
    const char* const only[] = {"hit", "mode"};
    o = usual();
    o.only = only;
    o.only_count = 2;
    c = compare(plain, other, &o);
    assert_true(c.signals == 2 && c.differing == 0);
}

// The jump comes 1 ms later: the same within 1 ms, however high it is.
static void test_times(void** state)
{
    (void)state;
    kaiCompareOptions o = usual();
    const char* late = HEAD "0,0,0,1,,a\n1.001,-1,0,2,,a\n1.001,0,0,2,1,a\n1.001,1,0,0,,b\n2,0,0,1,,b\n";
    o.relative = 1e-2;
    kaiComparison c = compare(plain, late, &o);
    assert_true(c.differing == 3 && !c.same_rows);
    says("hit at 1,0,0: occurrence 1 comes at t = 1.0009999999999999 in the second");
    says("mode at 1,1,0: change 2");
    o.time = 2e-3;
    assert_int_equal(compare(plain, late, &o).differing, 0);
    kaiTolerance hit = {"hit", NAN, NAN, 1e-5};
    o.signals = &hit;
    o.signal_count = 1;
    c = compare(plain, late, &o);
    assert_int_equal(c.differing, 1);
    says("hit at 1,0,0");
}

static void test_rows(void** state)
{
    (void)state;
    kaiCompareOptions o = usual();
    const char* more = HEAD "0,0,0,1,,a\n0.5,0,0,1.5,,a\n1,-1,0,2,,a\n1,0,0,2,1,a\n1,1,0,0,,b\n2,0,0,1,,b\n";
    const char* off = HEAD "0,0,0,1,,a\n0.5,0,0,1.6,,a\n1,-1,0,2,,a\n1,0,0,2,1,a\n1,1,0,0,,b\n2,0,0,1,,b\n";
    assert_int_equal(compare(plain, more, &o).differing, 0);  // a point more on the same curve
    assert_int_equal(compare(more, plain, &o).differing, 0);
    assert_int_equal(compare(plain, off, &o).differing, 1);
    says("x at 0.5,0,0");
    assert_int_equal(compare(off, plain, &o).differing, 1);
    says("x at 0.5,0,0");
    compare(plain, HEAD "0,0,0,1,,a\n1,-1,0,2,,a\n1,0,0,2,1,a\n1,1,0,0,,b\n2,0,0,1,1,b\n", &o);
    says("hit at 2,0,0: only the second has occurrence 2");
    compare(HEAD "0,0,0,1,,a\n1,-1,0,2,,a\n1,0,0,2,1,a\n1,1,0,0,,b\n2,0,0,1,1,b\n", plain, &o);
    says("hit at 2,0,0: only the first has occurrence 2");
    compare(plain, HEAD "0,0,0,1,,a\n1,-1,0,2,,a\n1,0,0,2,1,a\n1,1,0,0,,c\n2,0,0,1,,c\n", &o);
    says("change 2 is b, and c at t = 1 in the second");
    compare(plain, "t,p,m,x\n0,0,0,1\n1,-1,0,2\n1,0,0,2\n1,1,0,0\n2,0,0,1\n", &o);
    says("hit at 0,0,0: only the first has this signal");
    compare("t,p,m,x\n0,0,0,1\n1,-1,0,2\n1,0,0,2\n1,1,0,0\n2,0,0,1\n", plain, &o);
    says("hit at 0,0,0: only the second has this signal");
    compare(plain, HEAD "0,0,0,1,,a\n1,-1,0,,,a\n1,0,0,,1,a\n1,1,0,,,b\n2,0,0,1,,b\n", &o);
    says("x at 1");
}

#define RUNS "run,a,t,p,m,x\n"
static void test_runs(void** state)
{
    (void)state;
    kaiCompareOptions o = usual();
    const char* two = RUNS "0,1,0,0,0,1\n0,1,1,0,0,2\n1,5,0,0,0,3\n1,5,1,0,0,4\n";
    kaiComparison c = compare(two, two, &o);
    assert_true(c.runs == 2 && c.signals == 2 && c.differing == 0);
    compare(two, RUNS "0,1,0,0,0,1\n0,1,1,0,0,2\n1,5,0,0,0,3\n1,5,1,0,0,9\n", &o);
    says("run = 1, a = 5: x at 1,0,0: 4 and 9");
    c = compare(two, RUNS "0,1,0,0,0,1\n0,1,1,0,0,2\n", &o);
    assert_true(c.differing > 0);
}

static void test_wrong(void** state)
{
    (void)state;
    kaiCompareOptions o = usual();
    kaiComparison result;
    kaiError error;
    const char* const none[] = {"nothing"};
    const char *a = put("a", plain), *b = put("b", plain);
    o.only = none;
    o.only_count = 1;
    assert_int_equal(kaiResult_Compare(a, b, &o, &result, &error), KAI_ERR_USAGE);
    assert_string_equal(error.message, "neither result has a signal `nothing`");
    o = usual();
    kaiTolerance wrong = {"nothing", 1, NAN, NAN};
    o.signals = &wrong;
    o.signal_count = 1;
    assert_int_equal(kaiResult_Compare(a, b, &o, &result, &error), KAI_ERR_USAGE);
    o = usual();
    o.absolute = -1;
    assert_int_equal(kaiResult_Compare(a, b, &o, &result, &error), KAI_ERR_USAGE);
    o = usual();
    assert_int_equal(kaiResult_Compare(a, NULL, &o, &result, &error), KAI_ERR_USAGE);
    assert_int_equal(kaiResult_Compare(a, "/nowhere.csv", &o, &result, &error), KAI_ERR_IO);
    assert_int_equal(kaiResult_Compare("/nowhere.csv", a, &o, &result, &error), KAI_ERR_IO);
    for (long n = -1, calls = 0; n < calls; n++)
    {
        Heap heap = {.fail_at = n};
        o.allocator = (kaiAllocator){heap_alloc, &heap};
        kaiStatus status = kaiResult_Compare(a, b, &o, &result, &error);
        assert_int_equal(heap.live, 0);
        assert_int_equal(status, n < 0 ? KAI_OK : KAI_ERR_MEMORY);
        calls = n < 0 ? heap.calls : calls;
    }
}

// ---- results that go on

typedef struct Bytes
{
    char at[4000];
    size_t size;
} Bytes;

static kaiStatus keep(void* user, const char* bytes, size_t size)
{
    Bytes* b = user;
    memcpy(b->at + b->size, bytes, size);
    b->size += size;
    return KAI_OK;
}

static kaiStatus write_rows(kaiCsv* csv, int from, int to)
{
    kaiStatus status = KAI_OK;
    for (int i = from; i < to && status == KAI_OK; i++)
    {
        double value = 0.5 * i;
        uint8_t present = 1;
        status = kaiCsv_Row(csv, &(kaiRow){i, 0, 0, &value, &present});
    }
    return status;
}

static void read_text(const char* path, char* text, size_t size)
{
    FILE* in = fopen(path, "r");
    assert_non_null(in);
    text[fread(text, 1, size - 1, in)] = 0;
    fclose(in);
}

// Marked after five rows, four more that are lost, then on from the mark: the rows of an undisturbed result.
static void test_mark(void** state)
{
    (void)state;
    char path[100], text[300];
    kaiColumn column = {.name = "x"};
    kaiCsvOptions options = kaiDefaultCsvOptions();
    Bytes mark = {.size = 0};
    kaiSink sink = {keep, &mark};
    kaiError error;
    snprintf(path, sizeof path, "%s/marked.csv", folder);
    options.path = path;
    kaiCsv* csv = kaiCsv_Open(&options, &column, 1, &error);
    assert_non_null(csv);
    assert_int_equal(write_rows(csv, 0, 5), KAI_OK);
    assert_int_equal(kaiCsv_Mark(csv, &sink), KAI_OK);
    assert_int_equal(write_rows(csv, 5, 9), KAI_OK);
    assert_int_equal(kaiCsv_Close(csv, "interrupted"), KAI_OK);
    options.mark = mark.at;
    options.mark_size = mark.size;
    csv = kaiCsv_Open(&options, &column, 1, &error);
    if (csv == NULL)
        print_message("%s\n", error.message);
    assert_non_null(csv);
    assert_int_equal(write_rows(csv, 5, 7), KAI_OK);
    assert_int_equal(kaiCsv_Close(csv, NULL), KAI_OK);
    read_text(path, text, sizeof text);
    assert_string_equal(text, "t,p,m,x\n0,0,0,0\n1,0,0,0.5\n2,0,0,1\n3,0,0,1.5\n4,0,0,2\n5,0,0,2.5\n6,0,0,3\n");
    options.mark_size = 3;
    assert_null(kaiCsv_Open(&options, &column, 1, &error));
    options.mark_size = mark.size;
    assert_int_equal(truncate(path, 10), 0);
    assert_null(kaiCsv_Open(&options, &column, 1, &error));  // what was marked is gone
    unlink(path);
    assert_null(kaiCsv_Open(&options, &column, 1, &error));
}

static int set_up(void** state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int tear_down(void** state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_times),
                                       cmocka_unit_test(test_rows),   cmocka_unit_test(test_runs),
                                       cmocka_unit_test(test_wrong),  cmocka_unit_test(test_mark)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
