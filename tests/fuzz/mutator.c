// Changes a text as a person would get it wrong: tokens, items and blocks are dropped, doubled, exchanged, and taken
// from another text. Bytes changed at random hardly ever get past the parser; these do. One time in four libFuzzer
// changes bytes all the same.
#include "fuzz/fuzz.h"

#include <ctype.h>

size_t LLVMFuzzerMutate(uint8_t* bytes, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t* bytes, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t* one, size_t one_size, const uint8_t* other, size_t other_size,
                                 uint8_t* out, size_t most, unsigned seed);

typedef struct Piece
{
    size_t at, size;
} Piece;

enum
{
    TOKENS_MOST = 8000
};

static uint64_t chance_state;

static uint32_t chance(uint32_t below)
{
    uint64_t z = chance_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return below > 0 ? (uint32_t)((z ^ z >> 31) >> 32) % below : 0;
}

static const char* const words[] = {
    "model",
    "param",
    "state",
    "signal",
    "event",
    "discrete",
    "input",
    "output",
    "unknown",
    "equation",
    "modes",
    "mode",
    "initial",
    "on",
    "when",
    "if",
    "then",
    "else",
    "choose",
    "weight",
    "emit",
    "halt",
    "assert",
    "for",
    "in",
    "and",
    "or",
    "not",
    "present",
    "value",
    "default",
    "sample",
    "hold",
    "delay",
    "queue",
    "clock",
    "up",
    "down",
    "cross",
    "while",
    "pre",
    "der",
    "delta",
    "area",
    "time",
    "sum",
    "product",
    "least",
    "greatest",
    "forall",
    "exists",
    "size",
    "table",
    "row",
    "rows",
    "function",
    "external",
    "import",
    "experiment",
    "of",
    "stop",
    "start",
    "record",
    "every",
    "sweep",
    "expect",
    "final",
    "at",
    "time_of",
    "count",
    "within",
    "plot",
    "entry",
    "resume",
    "preempt",
    "nominal",
    "smooth",
    "abs",
    "sqrt",
    "floor",
    "mod",
    "min",
    "max",
    "exp",
    "log",
    "sin",
    "uniform",
    "exponential",
    "bond",
    "junction",
    "island",
    "0",
    "1",
    "2",
    "-1",
    "1e300",
    "1e-300",
    "0.1",
    "inf",
    "true",
    "false",
    "[m]",
    "[s]",
    "[kg*m/s^2]",
    "'",
    "''",
    ":=",
    "==",
    "->",
    "+",
    "-",
    "*",
    "/",
    "^",
    "<",
    "<=",
    ">",
    ">=",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ";",
    ":",
    "~",
    "..",
    "\n",
    "//",
    "\"text\"",
    "choice = all",
    "zeno = continue",
    "impulses = numeric",
    "solver = rosenbrock",
    "solver = taylor",
    "solver = cvode_bdf",
    "islands = all",
};

static bool is_word(int c)
{
    return isalnum(c) || c == '_' || c == '.';
}

// Words, numbers and single signs; blanks belong to the token before them.
static size_t split(const uint8_t* text, size_t size, Piece* tokens)
{
    size_t count = 0;
    for (size_t i = 0; i < size && count < TOKENS_MOST;)
    {
        size_t from = i++;
        while (is_word(text[from]) && i < size && is_word(text[i]))
            i++;
        while (i < size && (text[i] == ' ' || text[i] == '\t'))
            i++;
        tokens[count++] = (Piece){from, i - from};
    }
    return count;
}

// From a token to the end of its item or of the block that it begins.
static Piece grow_to_item(const uint8_t* text, const Piece* tokens, size_t count, size_t first)
{
    int depth = 0;
    size_t last = first;
    for (; last < count; last++)
    {
        uint8_t c = text[tokens[last].at];
        depth += (c == '{' || c == '(' || c == '[') - (c == '}' || c == ')' || c == ']');
        if (depth < 0 || (depth == 0 && (c == '\n' || c == ';' || c == '}')))
            break;
    }
    last = last < count ? last : count - 1;
    return (Piece){tokens[first].at, tokens[last].at + tokens[last].size - tokens[first].at};
}

static Piece choose_piece(const uint8_t* text, const Piece* tokens, size_t count)
{
    size_t first = chance((uint32_t)count);
    if (chance(2) == 0)
        return tokens[first];
    while (first > 0 && text[tokens[first - 1].at] != '\n' && text[tokens[first - 1].at] != ';' &&
           text[tokens[first - 1].at] != '{')
        first--;
    return grow_to_item(text, tokens, count, first);
}

// `text` with the piece replaced by `with`; what does not fit is cut.
static size_t replace(const uint8_t* text, size_t size, Piece piece, const uint8_t* with, size_t with_size,
                      uint8_t* out, size_t most)
{
    size_t used = 0;
    const uint8_t* parts[] = {text, with, text + piece.at + piece.size};
    size_t sizes[] = {piece.at, with_size, size - piece.at - piece.size};
    for (int i = 0; i < 3; i++)
    {
        size_t fits = sizes[i] < most - used ? sizes[i] : most - used;
        if (fits > 0)
            memcpy(out + used, parts[i], fits);
        used += fits;
    }
    return used;
}

static size_t mutate_once(const uint8_t* text, size_t size, const uint8_t* other, size_t other_size, uint8_t* out,
                          size_t most)
{
    static Piece tokens[TOKENS_MOST], others[TOKENS_MOST];
    size_t count = split(text, size, tokens), other_count = split(other, other_size, others);
    if (count == 0 || other_count == 0)
        return replace(text, size, (Piece){0, 0}, (const uint8_t*)"model M { }", 11, out, most);
    Piece piece = choose_piece(text, tokens, count), from = choose_piece(other, others, other_count);
    const char* word = words[chance(sizeof words / sizeof *words)];
    char spaced[40];
    snprintf(spaced, sizeof spaced, "%s ", word);
    switch (chance(6))
    {
    case 0: return replace(text, size, piece, NULL, 0, out, most);                                 // drop
    case 1: return replace(text, size, piece, (const uint8_t*)spaced, strlen(spaced), out, most);  // another word
    case 2: return replace(text, size, (Piece){piece.at, 0}, (const uint8_t*)spaced, strlen(spaced), out, most);
    case 3: return replace(text, size, (Piece){piece.at, 0}, text + piece.at, piece.size, out, most);  // double
    case 4: return replace(text, size, piece, other + from.at, from.size, out, most);                  // exchange
    default: return replace(text, size, (Piece){piece.at, 0}, other + from.at, from.size, out, most);  // insert
    }
}

static size_t mutate(const uint8_t* one, size_t one_size, const uint8_t* other, size_t other_size, uint8_t* out,
                     size_t most)
{
    uint8_t *a = malloc(most + 1), *b = malloc(most + 1);
    size_t size = one_size < most ? one_size : most;
    fuzz_demand(a != NULL && b != NULL);
    memcpy(a, one, size);
    for (uint32_t i = 0, times = 1 + chance(4); i < times; i++)
    {
        size = mutate_once(a, size, other, other_size, b, most);
        memcpy(a, b, size);
    }
    memcpy(out, a, size);
    free(a);
    free(b);
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t* bytes, size_t size, size_t most, unsigned seed)
{
    chance_state = seed;
    if (chance(4) == 0)
        return LLVMFuzzerMutate(bytes, size, most);
    uint8_t* copy = malloc(size + 1);
    fuzz_demand(copy != NULL);
    memcpy(copy, bytes, size);
    size_t made = mutate(copy, size, copy, size, bytes, most);
    free(copy);
    return made;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t* one, size_t one_size, const uint8_t* other, size_t other_size,
                                 uint8_t* out, size_t most, unsigned seed)
{
    chance_state = seed;
    return mutate(one, one_size, other, other_size, out, most);
}
