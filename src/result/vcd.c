// VCD (IEEE 1364): what changes and when, for GTKWave and other viewers of waveforms. Modes are strings (an extension
// of GTKWave), events are events, Booleans wires, numbers reals. VCD knows whole multiples of a unit of time: the
// finest power of ten is taken in which the run fits into 53 bits, so that instants stay apart. All tags of one t have
// the same VCD time; which tag it is, and t to the last digit, stands in a comment before its changes, where our own
// reader finds it and others do not look.
#include "base/error.h"
#include "result/format.h"
#include "result/number.h"

#include <math.h>
#include <stdio.h>

enum
{
    FINEST = -15,  // 1 fs
    USUAL = -12,   // if nobody says how long the run is
    CODE_MAX = 8
};

typedef struct Vcd
{
    double* last;  // of each column: what was written
    bool begun;
    double origin, unit;
    long long now;
} Vcd;

static int choose_unit(double span)
{
    int exponent = FINEST;
    if (!(span > 0) || isinf(span))
        return USUAL;
    while (exponent < 0 && span / pow(10, exponent) > 9e15)
        exponent++;
    return exponent;
}

// Names of variables inside the file: numbers in base 94, of all printable characters.
static void code_of(int index, char code[CODE_MAX])
{
    int length = 0;
    do
    {
        code[length++] = (char)('!' + index % 94);
        index /= 94;
    } while (index > 0 && length < CODE_MAX - 1);
    code[length] = 0;
}

static void put_variable(kaiWriter* w, int index)
{
    static const char* const types[] = {"real 64", "wire 1", "event 1", "string 1"};
    char code[CODE_MAX];
    code_of(index, code);
    result_text(w, "$var ");
    result_text(w, types[w->columns[index].kind]);
    result_text(w, " ");
    result_text(w, code);
    result_text(w, " ");
    result_text(w, w->columns[index].name);
    result_text(w, " $end\n");
}

static void put_head(kaiWriter* w, int exponent)
{
    static const char* const units[] = {"fs", "ps", "ns", "us", "ms", "s"};
    static const char* const sizes[] = {"1", "10", "100"};
    result_text(w, "$version kairos ");
    result_text(w, kaiVersion());
    result_text(w, " $end\n$timescale ");
    result_text(w, sizes[(exponent - FINEST) % 3]);
    result_text(w, " ");
    result_text(w, units[(exponent - FINEST) / 3]);
    result_text(w, " $end\n$scope module ");
    for (const char* at = w->options.title != NULL ? w->options.title : "run"; *at != 0; at++)
        result_put(w, *at == ' ' ? "_" : at, 1);
    result_text(w, " $end\n");
    for (int i = 0; i < w->column_count; i++)
        put_variable(w, i);
    result_text(w, "$upscope $end\n$enddefinitions $end\n");
}

static kaiStatus vcd_open(kaiWriter* w, kaiError* error)
{
    Vcd* vcd = memory_get(w->allocator, sizeof *vcd);
    w->own = vcd;
    if (vcd == NULL)
        return error_memory(error);
    if (w->options.lead_count > 0)
        return error_set(error, KAI_ERR_USAGE, "%s: a VCD holds one run, not a sweep or all outcomes", w->options.path);
    double start = w->options.start, stop = w->options.stop;
    int exponent = choose_unit(stop - fmin(start, 0));
    vcd->unit = pow(10, exponent);
    vcd->origin = fmin(start, 0);
    vcd->last = memory_get(w->allocator, sizeof *vcd->last * (size_t)w->column_count);
    put_head(w, exponent);
    return vcd->last != NULL ? w->status : error_memory(error);
}

static void put_number(kaiWriter* w, double value)
{
    char digits[NUMBER_MAX + 1];
    result_put(w, digits, (size_t)number_write(digits, value));
}

// "$comment t p m $end", with the payloads of events that are not 1.
static void put_tag(kaiWriter* w, const kaiRow* row)
{
    result_text(w, "$comment ");
    put_number(w, row->t);
    result_text(w, " ");
    put_number(w, row->p);
    result_text(w, " ");
    put_number(w, row->m);
    for (int i = 0; i < w->column_count; i++)
        if (w->columns[i].kind == KAI_COLUMN_EVENT && row->present[i] && row->values[i] != 1)
        {
            char code[CODE_MAX];
            code_of(i, code);
            result_text(w, " ");
            result_text(w, code);
            result_text(w, " ");
            put_number(w, row->values[i]);
        }
    result_text(w, " $end\n");
}

static void put_time(kaiWriter* w, Vcd* vcd, double t)
{
    char text[40];
    long long now = llround(fmin((t - vcd->origin) / vcd->unit, 9e18));
    if (vcd->begun && now <= vcd->now)
        return;
    snprintf(text, sizeof text, "#%lld\n", now);
    result_text(w, text);
    vcd->now = now;
}

static void put_value(kaiWriter* w, const kaiRow* row, int i)
{
    const kaiColumn* column = &w->columns[i];
    char code[CODE_MAX], digits[40];
    bool present = row->present[i];
    double value = row->values[i];
    code_of(i, code);
    if (column->kind == KAI_COLUMN_EVENT)
        result_text(w, "1");
    else if (column->kind == KAI_COLUMN_BOOL)
        result_text(w, !present ? "x" : value != 0 ? "1" : "0");
    else if (column->kind == KAI_COLUMN_MODE)
    {
        result_text(w, "s");
        result_text(w, present ? result_mode_text(column, value, digits) : "-");
        result_text(w, " ");
    }
    else
    {
        result_text(w, "r");
        if (present && !isnan(value))
            put_number(w, value);
        else
            result_text(w, present ? "NaN" : "nan");
        result_text(w, " ");
    }
    result_text(w, code);
    result_text(w, "\n");
}

static kaiStatus vcd_row(kaiWriter* w, const kaiRow* row)
{
    Vcd* vcd = w->own;
    put_time(w, vcd, row->t);
    put_tag(w, row);
    for (int i = 0; i < w->column_count; i++)
    {
        double value = result_value(row, i);
        bool event = w->columns[i].kind == KAI_COLUMN_EVENT;
        bool changed = !vcd->begun || memcmp(&value, &vcd->last[i], sizeof value) != 0;
        if (event ? row->present[i] : changed)
            put_value(w, row, i);
        vcd->last[i] = value;
    }
    vcd->begun = true;
    return w->status;
}

static kaiStatus vcd_close(kaiWriter* w, const char* remark)
{
    if (remark == NULL)
        return w->status;
    result_text(w, "$comment remark ");
    result_text(w, remark);
    result_text(w, " $end\n");
    return w->status;
}

static void vcd_free(kaiWriter* w)
{
    Vcd* vcd = w->own;
    if (vcd != NULL)
        memory_give(w->allocator, vcd->last, sizeof *vcd->last * (size_t)w->column_count);
    memory_give(w->allocator, vcd, sizeof *vcd);
}

const Format format_vcd = {"vcd",   "changes, for viewers of waveforms", true, vcd_open, vcd_row, NULL, vcd_close,
                           vcd_free};
