// What figures are made of: ticks, tracks that stay small without losing what matters, bands, units, reading of
// results.
#include "kairos/kairos.h"
#include "plot/bands.h"
#include "plot/ticks.h"
#include "plot/track.h"
#include "plot/unit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

// ---- ticks

static void check_labels(double low, double high, int most, const char* const* labels, int count, const char* note)
{
    Ticks t = ticks_make(low, high, most);
    char text[64];
    assert_int_equal(t.count, count);
    for (int i = 0; i < count; i++)
    {
        ticks_label(&t, i, text, sizeof text);
        assert_string_equal(text, labels[i]);
    }
    ticks_note(&t, text, sizeof text);
    assert_string_equal(text, note);
}

static void ticks_are_nice(void** state)
{
    (void)state;
    check_labels(0, 5, 6, (const char*[]){"0", "1", "2", "3", "4", "5"}, 6, "");
    check_labels(-1.05, 1.05, 6, (const char*[]){"−1.0", "−0.5", "0.0", "0.5", "1.0"}, 5, "");
    check_labels(0.1, 0.35, 3, (const char*[]){"0.1", "0.2", "0.3"}, 3, "");
    check_labels(0, 2.1e-6, 3, (const char*[]){"0", "1", "2"}, 3, "×10⁻⁶");
    check_labels(0, 2e6, 3, (const char*[]){"0", "1", "2"}, 3, "×10⁶");
    // Far from 0 and narrow: what all labels share is said once.
    check_labels(1e6, 1e6 + 2, 3, (const char*[]){"0", "1", "2"}, 3, " + 1000000");
}

static void ticks_always_fit(void** state)
{
    (void)state;
    uint64_t random = 1;
    for (int i = 0; i < 20000; i++)
    {
        random = random * 6364136223846793005u + 1442695040888963407u;
        double low = ldexp((double)(int64_t)random, -63 + (int)(random >> 20 & 31) - 10);
        double high = low + ldexp(1 + (double)(random >> 40 & 255) / 256, (int)(random >> 50 & 15) - 8 - 10 + 10);
        int most = 2 + (int)(random >> 12 & 7);
        Ticks t = ticks_make(low, high, most);
        double slack = 1e-9 * (high - low) + 1e-12 * fabs(low);
        assert_true(t.count >= 1 && t.count <= most);
        assert_true(ticks_at(&t, 0) >= low - slack && ticks_at(&t, t.count - 1) <= high + slack);
    }
}

static void ranges_are_never_empty(void** state)
{
    (void)state;
    double low = 3, high = 3;
    ticks_range(&low, &high);
    assert_true(low < 3 && high > 3);
    low = high = 0;
    ticks_range(&low, &high);
    assert_true(low < 0 && high > 0);
}

static void units_and_numbers(void** state)
{
    (void)state;
    char text[64];
    unit_text("m/s^2", 0, text, sizeof text);
    assert_string_equal(text, "[m/s²]");
    unit_text("kg*m^-1", 0, text, sizeof text);
    assert_string_equal(text, "[kg·m⁻¹]");
    unit_text(NULL, 0, text, sizeof text);
    assert_string_equal(text, "");
    ticks_number(-1.5e-7, 4, text, sizeof text);
    assert_string_equal(text, "−1.5·10⁻⁷");
}

// ---- tracks

static TrackValue at(double y)
{
    return (TrackValue){0, y, true, 0, 255};
}

static TrackValue at_pinnacle(double y, int p)
{
    return (TrackValue){0, y, true, p, 255};
}

static const TrackValue absent;

static void track_pieces(void** state)
{
    (void)state;
    Track track;
    assert_true(track_open(&track, false, false, kaiDefaultAllocator()));
    track_value(&track, 0, at(1));
    track_value(&track, 1, at_pinnacle(2, -1));  // an instant: left limit, two values, right limit
    track_value(&track, 1, at_pinnacle(9, 0));   // mythical: tried and left at the same pinnacle
    track_value(&track, 1, at_pinnacle(7, 0));
    track_value(&track, 1, at_pinnacle(3, 1));
    track_value(&track, 2, at(4));
    track_value(&track, 2, absent);
    track_value(&track, 3, absent);
    track_value(&track, 4, absent);
    track_value(&track, 4, at(5));
    track_finish(&track);
    const TrackPoint expected[] = {{0, 0, 1, LINK_NONE, false, 255},
                                   {1, 1, 2, LINK_LINE, false, 255},
                                   {1, 1, 3, LINK_JUMP, false, 255},
                                   {2, 2, 4, LINK_LINE, true, 255},
                                   {4, 4, 5, LINK_NONE, false, 255}};
    assert_int_equal(track.count, 5);
    for (int i = 0; i < 5; i++)
    {
        assert_true(track.points[i].t == expected[i].t && track.points[i].y == expected[i].y);
        assert_int_equal(track.points[i].link, expected[i].link);
        assert_int_equal(track.points[i].ends, expected[i].ends);
    }
    assert_int_equal(track.mark_count, 1);  // 7 was there, at neither limit
    assert_int_equal(track.marks[0].kind, MARK_DOT);
    assert_true(track.marks[0].y == 7);
    track_free(&track);
}

static bool has_point(const Track* track, double t, double y)
{
    for (int i = 0; i < track->count; i++)
        if (track->points[i].t == t && track->points[i].y == y)
            return true;
    return false;
}

// Three million points, one of them high, one low, each for a single row, and one lone jump.
static void merging_keeps_extremes_and_jumps(void** state)
{
    (void)state;
    enum
    {
        ROWS = 3000000
    };
    Track track;
    assert_true(track_open(&track, false, false, kaiDefaultAllocator()));
    for (int i = 0; i < ROWS; i++)
    {
        double y = i < 2000000 ? sin(i * 1e-3) : 0.25;
        if (i == 1234567)
            y = 9;
        if (i == 777777)
            y = -8;
        if (i == 2000000)
            track_value(&track, i, at(-0.5));  // the left limit of a jump to 0.25
        track_value(&track, i, at(y));
    }
    track_finish(&track);
    assert_true(track.count < TRACK_POINTS && track.capacity <= TRACK_POINTS);
    for (int thinned = 0; thinned < 2; thinned++)
    {
        int jumps = 0;
        assert_true(has_point(&track, 1234567, 9));
        assert_true(has_point(&track, 777777, -8));
        assert_true(has_point(&track, 0, 0));
        assert_true(has_point(&track, ROWS - 1, 0.25));
        for (int i = 1; i < track.count; i++)
        {
            jumps += track.points[i].link == LINK_JUMP;
            if (track.points[i].link == LINK_JUMP)
                assert_true(track.points[i - 1].y == -0.5 && track.points[i].y == 0.25 &&
                            track.points[i - 1].t == 2000000 && track.points[i].t == 2000000);
            assert_true(track.points[i].t >= track.points[i - 1].t);
        }
        assert_int_equal(jumps, 1);
        track_thin(&track, ROWS / 500.0);
        assert_true(track.count <= 500 * 10);
    }
    track_free(&track);
}

static void merging_keeps_impulses(void** state)
{
    (void)state;
    double greatest = -1, least = 1;
    int of_order_1 = 0;
    Track track;
    assert_true(track_open(&track, false, false, kaiDefaultAllocator()));
    for (int i = 0; i < 200000; i++)
    {
        track_value(&track, i, at(0));
        track_impulse(&track, 0, i == 100001 ? 5 : 0.5);
        if (i == 150001)
            track_impulse(&track, 0, -3);
        if (i == 66666)
            track_impulse(&track, 1, 1e-3);  // the only δ′
    }
    track_finish(&track);
    assert_true(track.mark_count <= TRACK_MARKS);
    for (int i = 0; i < track.mark_count; i++)
    {
        const TrackMark* m = &track.marks[i];
        of_order_1 += m->order == 1 && m->t == 66666;
        greatest = fmax(greatest, m->y);
        least = fmin(least, m->y);
    }
    assert_int_equal(of_order_1, 1);
    assert_true(greatest == 5 && least == -3);
    track_free(&track);
}

// A track without memory to grow merges earlier, and still keeps the extreme.
static int budget;

static void* meagre(void* user, void* block, size_t old_size, size_t size)
{
    (void)user, (void)old_size;
    if (size == 0)
    {
        free(block);
        return NULL;
    }
    return budget-- > 0 ? realloc(block, size) : NULL;
}

static void merging_without_memory(void** state)
{
    (void)state;
    Track track;
    budget = 2;
    assert_true(track_open(&track, false, false, (kaiAllocator){meagre, NULL}));
    for (int i = 0; i < 20000; i++)
        track_value(&track, i, at(i == 5000 ? 3 : 0));
    track_finish(&track);
    assert_true(track.count <= 512);
    assert_true(has_point(&track, 5000, 3));
    track_free(&track);
    budget = 1;
    assert_false(track_open(&track, false, false, (kaiAllocator){meagre, NULL}));
    track_free(&track);
}

static void bands_follow_modes(void** state)
{
    (void)state;
    Bands* b = calloc(1, sizeof *b);
    bands_value(b, 0, 0);
    bands_value(b, 1, 0);
    bands_value(b, 2, 1);
    bands_value(b, 2, 2);  // a mythical mode in between has no width
    bands_value(b, 5, 2);
    assert_int_equal(b->count, 2);
    assert_int_equal(b->pieces[1].mode, 2);
    assert_true(b->pieces[1].from == 2 && b->ends_at == 5);
    for (int i = 0; i < 100000; i++)
        bands_value(b, 6 + i * 1e-3, i % 2);
    bands_value(b, 500, 1);
    assert_true(b->count <= BAND_MAX && b->pieces[0].mode == 0 && b->pieces[1].mode == 2);
    free(b);
}

// ---- reading

typedef struct Read
{
    int rows, leads;
    double sum;
    char text[200];
} Read;

static kaiStatus on_header(void* user, const kaiColumn* columns, int count, bool* wanted)
{
    (void)user, (void)wanted;
    assert_int_equal(count, 3);
    assert_string_equal(columns[1].name, "a,b");
    assert_int_equal(columns[2].kind, KAI_COLUMN_MODE);
    return KAI_OK;
}

static kaiStatus on_row(void* user, const kaiRow* row)
{
    Read* r = user;
    r->rows++;
    for (int i = 0; i < 3; i++)
        r->sum += row->present[i] ? row->values[i] : 1000;
    return KAI_OK;
}

static kaiStatus on_lead(void* user, const char* text)
{
    Read* r = user;
    r->leads++;
    snprintf(r->text, sizeof r->text, "%s", text);
    return KAI_OK;
}

static kaiStatus read_text(const char* text, Read* r, kaiError* error)
{
    char path[] = "/tmp/kairos-read-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    kaiCsvReader* reader = kaiCsvReader_Open(path, kaiDefaultAllocator(), error);
    assert_non_null(reader);
    *r = (Read){0};
    kaiCsvVisitor visitor = {on_header, on_row, on_lead, r};
    kaiStatus status = kaiCsvReader_Read(reader, &visitor, error);
    if (status == KAI_OK && kaiCsvReader_Remark(reader) != NULL)
        snprintf(r->text, sizeof r->text, "%s", kaiCsvReader_Remark(reader));
    kaiCsvReader_Free(reader);
    unlink(path);
    return status;
}

static void reads_what_was_written(void** state)
{
    (void)state;
    Read r;
    kaiError error;
    assert_int_equal(
        read_text("t,p,m,x,\"a,b\",mode\n0,-1,0,1.5,,up\n0,0,0,-2e-3,7,down\n0,1,0,,8,up\n# stopped\n", &r, &error),
        KAI_OK);
    assert_int_equal(r.rows, 3);
    assert_true(fabs(r.sum - (1.5 + 1000 + 0 - 2e-3 + 7 + 1 + 1000 + 8 + 0)) < 1e-12);
    assert_string_equal(r.text, "stopped");
    assert_int_equal(read_text("run,k,t,p,m,x,\"a,b\",mode\n1,0.5,0,0,0,1,2,u\n2,0.7,0,0,0,1,2,u\n", &r, &error),
                     KAI_OK);
    assert_int_equal(r.leads, 2);
    assert_string_equal(r.text, "run = 2, k = 0.7");
}

static void says_where_it_is_cut_off(void** state)
{
    (void)state;
    Read r;
    kaiError error;
    static const char* const cut[] = {"t,p,m,x,\"a,b\",mode\n0,0,0,1,2,u\n1,0,0,1",
                                      "t,p,m,x,\"a,b\",mode\n0,0,0,1,2,u\n1,0,0,1\n",
                                      "t,p,m,x,\"a,b\",mode\n0,0,0,1,2,u\n1,0"};
    for (int i = 0; i < 3; i++)
    {
        assert_int_equal(read_text(cut[i], &r, &error), KAI_ERR_IO);
        assert_non_null(strstr(error.message, ":3: the result is cut off in the middle of this row"));
    }
    assert_int_equal(read_text("a,b,c\n1,2,3\n", &r, &error), KAI_ERR_IO);
    assert_non_null(strstr(error.message, "has no t,p,m"));
    assert_int_equal(read_text("", &r, &error), KAI_ERR_IO);
    assert_non_null(strstr(error.message, "is empty"));
    assert_int_equal(read_text("t,p,m,x,\"a,b\",mode\n0,0,0,wrong,2,u\n", &r, &error), KAI_ERR_IO);
    assert_non_null(strstr(error.message, "`wrong` in column x is no number"));
}

// Against the C library: what kairos writes reads back as the same double.
static void reads_numbers(void** state)
{
    (void)state;
    uint64_t random = 7;
    for (int i = 0; i < 20000; i++)
    {
        double value;
        char line[200], number[33];
        kaiError error;
        random = random * 6364136223846793005u + 1442695040888963407u;
        memcpy(&value, &random, sizeof value);
        if (i % 2)
            value = (double)(int64_t)random * 1e-16;
        if (!isfinite(value))
            continue;
        if (i > 200)
            i += 100;  // each costs a file
        kaiNumber_Write(number, value);
        snprintf(line, sizeof line, "t,p,m,x,\"a,b\",mode\n0,0,0,%s,0,u\n", number);
        Read r;
        assert_int_equal(read_text(line, &r, &error), KAI_OK);
        assert_true(r.sum == value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_nice),
        cmocka_unit_test(ticks_always_fit),
        cmocka_unit_test(ranges_are_never_empty),
        cmocka_unit_test(units_and_numbers),
        cmocka_unit_test(track_pieces),
        cmocka_unit_test(merging_keeps_extremes_and_jumps),
        cmocka_unit_test(merging_keeps_impulses),
        cmocka_unit_test(merging_without_memory),
        cmocka_unit_test(bands_follow_modes),
        cmocka_unit_test(reads_what_was_written),
        cmocka_unit_test(says_where_it_is_cut_off),
        cmocka_unit_test(reads_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
