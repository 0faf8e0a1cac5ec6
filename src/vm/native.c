// Programs as code of the machine (decision 0320). What runs at every instant of a small model are programs of a dozen
// operators: the interpreter takes 15 instructions for each, the machine needs three. A program that has run often is
// written out once, operator by operator, in the order of its words; every operation is the one that the interpreter
// does (IEEE double in SSE2, nothing fused, nothing reordered), so that the bits are the same. What needs more than a
// few instructions (functions, tables, delays, loops) stays with the interpreter, and so does every program on other
// machines, or where no page may be executed.
//
// Each program has pages of its own, which are written, then made executable, and never written again. It begins
// where the one before it has ended, as counted from the start of a page, so that they do not share lines of the cache.
#include "vm/native.h"

#include "model/code.h"

#include <string.h>

void hot_make(Hot* hot, const kaiModel* model, const uint32_t* from, const uint32_t* to, const VmHost* host)
{
    if (host != NULL && host->native != NULL)
        hot->code = native_make(host->native, model, from, to);
}

#if defined(__x86_64__) && defined(__linux__) && !defined(KAIROS_NO_NATIVE)
#include <sys/mman.h>

enum
{
    PAGE = 4096,
    MOST_PROGRAMS = 512,
    MOST_WORDS = 1024,  // of one of them
    MOST_BYTES = 16 * PAGE,
    MOST_JUMPS = 64,
};

// -------------------------------------------------------------------------------------------------------- instructions
// The registers of the model begin at rdi. rax and xmm0 to xmm2 are for passing, the other three keep constants.

enum
{
    ONE = 5,
    ZERO = 6,
    SIZE = 7,  // all bits but the sign

    LOAD = 0x10,
    STORE = 0x11,
    ADD = 0x58,
    MULTIPLY = 0x59,
    SUBTRACT = 0x5C,
    DIVIDE = 0x5E,
    COMPARE = 0xC2,
    AND = 0x54,
    AND_NOT = 0x55,
    OR = 0x56,

    EQUAL = 0,  // how to compare: NaN is equal to nothing
    LESS = 1,
    UNEQUAL = 4,

    LOAD_WHOLE = 0x8B,
    STORE_WHOLE = 0x89,
    FLIP_SIGN = 0xF8,
    CLEAR_SIGN = 0xF0,

    IF_BELOW = 0x82,
    IF_EQUAL = 0x84,
    ALWAYS = 0xE9,
};

typedef struct Jump
{
    uint32_t at, to;  // bytes of code; a word of the program
} Jump;

typedef struct Translation
{
    const kaiModel* model;
    const uint32_t *from, *to;
    uint8_t* code;
    uint32_t length, room;  // bytes
    bool failed;
    bool compares, sizes;  // it needs ONE and ZERO, or SIZE
    uint32_t jumps;
    Jump jump[MOST_JUMPS];
    uint32_t places[MOST_WORDS + 1];  // of words that something begins with; 0: of none
} Translation;

static void put(Translation* t, uint64_t bytes, uint32_t count)
{
    if (t->failed || t->room - t->length < count)
    {
        t->failed = true;
        return;
    }
    memcpy(t->code + t->length, &bytes, count);
    t->length += count;
}

// xmm, by or with a register of the model.
static void scalar(Translation* t, uint8_t operation, int xmm, uint32_t reg)
{
    put(t, 0x0FF2, 2);
    put(t, operation, 1);
    put(t, (uint64_t)(0x87 | xmm << 3), 1);
    put(t, 8 * (uint64_t)reg, 4);
}

static void logic(Translation* t, uint8_t operation, int to, int from)
{
    put(t, 0x0F66, 2);
    put(t, operation, 1);
    put(t, (uint64_t)(0xC0 | to << 3 | from), 1);
}

static void add_to(Translation* t, int to, int from)
{
    put(t, 0x580FF2, 3);
    put(t, (uint64_t)(0xC0 | to << 3 | from), 1);
}

// All bits of xmm where it holds, none where it does not.
static void compare(Translation* t, int xmm, int with, int how)
{
    put(t, 0xC20FF2, 3);
    put(t, (uint64_t)(0xC0 | xmm << 3 | with), 1);
    put(t, (uint64_t)how, 1);
}

static void whole(Translation* t, uint8_t operation, uint32_t reg)
{
    put(t, 0x48, 1);
    put(t, operation, 1);
    put(t, 0x87, 1);
    put(t, 8 * (uint64_t)reg, 4);
}

static void constant(Translation* t, int xmm, uint64_t bits)
{
    put(t, 0xB848, 2);
    put(t, bits, 8);
    put(t, 0x6E0F4866, 4);
    put(t, (uint64_t)(0xC0 | xmm << 3), 1);
}

static void jump(Translation* t, uint8_t condition, const uint32_t* to)
{
    if (t->jumps == MOST_JUMPS || to < t->from || to > t->to)
    {
        t->failed = true;
        return;
    }
    if (condition != ALWAYS)
        put(t, 0x0F, 1);
    put(t, condition, 1);
    t->jump[t->jumps++] = (Jump){t->length, (uint32_t)(to - t->from)};
    put(t, 0, 4);
}

// ----------------------------------------------------------------------------------------------------------- operators

static void arithmetic(Translation* t, uint8_t operation, const uint32_t* p)
{
    scalar(t, LOAD, 0, p[1]);
    scalar(t, operation, 0, p[2]);
    scalar(t, STORE, 0, p[0]);
}

static void move(Translation* t, uint8_t sign, const uint32_t* p)
{
    whole(t, LOAD_WHOLE, p[1]);
    if (sign != 0)
    {
        put(t, 0xBA0F48, 3);
        put(t, sign, 1);
        put(t, 63, 1);
    }
    whole(t, STORE_WHOLE, p[0]);
}

static void store_truth(Translation* t, uint32_t reg)
{
    logic(t, AND, 0, ONE);
    scalar(t, STORE, 0, reg);
    t->compares = true;
}

static void relation(Translation* t, int how, const uint32_t* p)
{
    scalar(t, LOAD, 0, p[1]);
    scalar(t, COMPARE, 0, p[2]);
    put(t, (uint64_t)how, 1);
    store_truth(t, p[0]);
}

static void negation(Translation* t, const uint32_t* p)
{
    scalar(t, LOAD, 0, p[1]);
    compare(t, 0, ZERO, EQUAL);
    store_truth(t, p[0]);
}

static void junction(Translation* t, uint8_t operation, const uint32_t* p)
{
    for (int i = 0; i < 2; i++)
    {
        scalar(t, LOAD, i, p[1 + i]);
        compare(t, i, ZERO, UNEQUAL);
    }
    logic(t, operation, 0, 1);
    store_truth(t, p[0]);
}

static void selection(Translation* t, const uint32_t* p)
{
    scalar(t, LOAD, 0, p[1]);
    compare(t, 0, ZERO, UNEQUAL);
    scalar(t, LOAD, 1, p[2]);
    scalar(t, LOAD, 2, p[3]);
    logic(t, AND, 1, 0);
    logic(t, AND_NOT, 0, 2);
    logic(t, OR, 0, 1);
    scalar(t, STORE, 0, p[0]);
    t->compares = true;
}

// Terms `first` to `last` of a row, one after the other.
static void terms(Translation* t, int xmm, const uint32_t* p, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i < last; i++)
    {
        int to = i == first ? xmm : 2;
        scalar(t, LOAD, to, p[2] + i);
        scalar(t, MULTIPLY, to, p[1] + i);
        if (to != xmm)
            add_to(t, xmm, to);
    }
}

// As row_sum_short adds them up.
static void row(Translation* t, const uint32_t* p)
{
    uint32_t count = vm_constant(t->model, p[3]), four = count & 4;
    if (count == 0 || count >= 8)
    {
        t->failed = true;
        return;
    }
    if (four > 0)
    {
        terms(t, 0, p, 0, 2);
        terms(t, 1, p, 2, 4);
        add_to(t, 0, 1);
    }
    if (count > four)
        terms(t, four > 0 ? 1 : 0, p, four, count);
    if (four > 0 && count > four)
        add_to(t, 0, 1);
    scalar(t, STORE, 0, p[0]);
}

static void row_size(Translation* t, const uint32_t* p)
{
    uint32_t count = vm_constant(t->model, p[3]);
    logic(t, 0xEF, 0, 0);  // 0
    for (uint32_t i = 0; i < count && !t->failed; i++)
    {
        terms(t, 1, p, i, i + 1);
        logic(t, AND, 1, SIZE);
        add_to(t, 0, 1);
    }
    scalar(t, STORE, 0, p[0]);
    t->sizes = true;
}

// One instruction of a run. False: it is none of these.
static bool put_operator(Translation* t, uint32_t op, const uint32_t* p)
{
    switch (op)
    {
    case VM_MOVE: move(t, 0, p); return true;
    case VM_NEG: move(t, FLIP_SIGN, p); return true;
    case VM_ABS: move(t, CLEAR_SIGN, p); return true;
    case VM_ADD: arithmetic(t, ADD, p); return true;
    case VM_SUB: arithmetic(t, SUBTRACT, p); return true;
    case VM_MUL: arithmetic(t, MULTIPLY, p); return true;
    case VM_DIV: arithmetic(t, DIVIDE, p); return true;
    case VM_LT: relation(t, LESS, p); return true;
    case VM_EQ: relation(t, EQUAL, p); return true;
    case VM_NOT: negation(t, p); return true;
    case VM_AND: junction(t, AND, p); return true;
    case VM_OR: junction(t, OR, p); return true;
    case VM_SELECT: selection(t, p); return true;
    case VM_ROW: row(t, p); return true;
    case VM_ROW_SIZE: row_size(t, p); return true;
    default: return false;
    }
}

// As vm_switch_target: what is no mode goes where the last word says.
static void put_switch(Translation* t, const uint32_t* head)
{
    uint32_t count = head[2];
    const uint32_t *base = head + 3 + count + 1, *other = base + head[3 + count];
    scalar(t, LOAD, 0, head[1]);
    put(t, 0xC02C0FF2, 4);  // eax: its whole part
    logic(t, 0x2F, 0, ZERO);
    jump(t, IF_BELOW, other);
    for (uint32_t mode = 0; mode < count && !t->failed; mode++)
        if (head[3 + mode] != NO_REG)
        {
            put(t, 0x3D, 1);
            put(t, mode, 4);
            jump(t, IF_EQUAL, base + head[3 + mode]);
        }
    jump(t, ALWAYS, other);
    t->compares = true;
}

// ------------------------------------------------------------------------------------------------------------- program

static void put_item(Translation* t, const uint32_t* pc, const CodeItem* item)
{
    if (item->op == VM_SWITCH)
        put_switch(t, pc);
    else if (item->op == VM_JUMP)
        jump(t, ALWAYS, pc + pc[1]);
    else if (item->stride == 0)
        t->failed = true;
    for (uint32_t i = 0; item->stride > 0 && i < item->reg_count && !t->failed; i += item->stride)
        t->failed = !put_operator(t, item->op, t->from + item->first_reg + i) || t->failed;
}

static void put_program(Translation* t)
{
    const uint32_t count = (uint32_t)(t->to - t->from);
    CodeItem item = {.words = 0};
    t->length = t->jumps = 0;
    if (t->compares)
    {
        constant(t, ONE, 0x3FF0000000000000);
        logic(t, 0xEF, ZERO, ZERO);
    }
    if (t->sizes)
        constant(t, SIZE, 0x7FFFFFFFFFFFFFFF);
    put(t, 0x90, 1);  // so that no place is 0
    for (uint32_t at = 0; at < count && !t->failed; at += item.words)
    {
        t->places[at] = t->length;
        if (code_item(t->from, at, count, &item))
            put_item(t, t->from + at, &item);
        else
            t->failed = true;
    }
    t->places[count] = t->length;
    put(t, 0xC3, 1);
}

static void set_jumps(Translation* t)
{
    for (uint32_t i = 0; i < t->jumps && !t->failed; i++)
    {
        uint32_t place = t->places[t->jump[i].to], distance = place - (t->jump[i].at + 4);
        t->failed = place == 0;
        memcpy(t->code + t->jump[i].at, &distance, sizeof distance);
    }
}

// Twice: what constants it needs is known at its end.
static bool translate(Translation* t)
{
    put_program(t);
    if (!t->failed && (t->compares || t->sizes))
        put_program(t);
    set_jumps(t);
    return !t->failed;
}

// --------------------------------------------------------------------------------------------------------------- pages

typedef struct Page  // before the code
{
    struct Page* next;
    size_t size;
} Page;

NativeCode* native_make(NativeRoom* room, const kaiModel* model, const uint32_t* from, const uint32_t* to)
{
    const size_t start = (sizeof(Page) + room->used + 63) / 64 * 64 % PAGE;
    const size_t first = start < sizeof(Page) ? 64 : start;
    if (to - from > MOST_WORDS || room->count == MOST_PROGRAMS || model->reg_count > UINT32_MAX / 32)
        return NULL;
    Page* page = mmap(NULL, MOST_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return NULL;
    Translation t = {.model = model, .from = from, .to = to, .code = (uint8_t*)page + first};
    t.room = (uint32_t)(MOST_BYTES - first);
    bool fine = translate(&t);
    size_t size = fine ? (first + t.length + PAGE - 1) / PAGE * PAGE : 0;
    if (size < MOST_BYTES)
        munmap((uint8_t*)page + size, MOST_BYTES - size);
    if (!fine)
        return NULL;
    *page = (Page){room->last, size};
    if (mprotect(page, size, PROT_READ | PROT_EXEC) != 0)
    {
        munmap(page, size);
        room->count = MOST_PROGRAMS;  // nor will another be
        return NULL;
    }
    room->last = page;
    room->count++;
    room->used += t.length;
    NativeCode* code;
    memcpy(&code, &t.code, sizeof code);  // the two kinds of pointers are one here
    return code;
}

void native_free(NativeRoom* room)
{
    for (Page *page = room->last, *next; page != NULL; page = next)
    {
        next = page->next;
        munmap(page, page->size);
    }
    *room = (NativeRoom){0};
}

#else

NativeCode* native_make(NativeRoom* room, const kaiModel* model, const uint32_t* from, const uint32_t* to)
{
    (void)room;
    (void)model;
    (void)from;
    (void)to;
    return NULL;
}

void native_free(NativeRoom* room)
{
    (void)room;
}

#endif
