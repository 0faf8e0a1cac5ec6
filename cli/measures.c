// --measure "a, top = max(y)": names of variables, and expressions as in `expect`. Names alone are final values, which
// no compiler has to be asked for; where one is an expression, all are, so that the columns keep their order.
#include "cli/inquiry.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// The end of an item: a comma, outside brackets and texts.
static size_t item_length(const char* text)
{
    int depth = 0;
    bool quoted = false;
    size_t i = 0;
    for (; text[i] != 0 && (text[i] != ',' || depth > 0 || quoted); i++)
    {
        quoted ^= text[i] == '"';
        depth += text[i] == '(' || text[i] == '[';
        depth -= text[i] == ')' || text[i] == ']';
    }
    return i;
}

// The `=` behind a name; == <= >= != are relations.
static const char* find_equals(const char* text)
{
    const char* at = strchr(text, '=');
    if (at == NULL || at == text || at[1] == '=' || strchr("<>!:=", at[-1]) != NULL)
        return NULL;
    for (const char* c = text; c < at; c++)
        if (strchr("()\"+*/", *c) != NULL)
            return NULL;
    return at;
}

static char* copy_trimmed(const char* text, size_t length)
{
    while (length > 0 && isspace((unsigned char)text[0]))
        text++, length--;
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    return strndup(text, length);
}

static bool is_name(const char* text)
{
    for (const char* c = text; *c != 0; c++)
        if (!isalnum((unsigned char)*c) && strchr("_.[]", *c) == NULL && (unsigned char)*c < 128)
            return false;
    return isalpha((unsigned char)text[0]) || text[0] == '_' || (unsigned char)text[0] >= 128;
}

static int add_item(Measures* m, const char* text, size_t length)
{
    char* item = copy_trimmed(text, length);
    if (item == NULL)
        return fputs("kairos: out of memory\n", stderr), EXIT_RUN;
    const char* equals = find_equals(item);
    char* name = equals != NULL ? copy_trimmed(item, (size_t)(equals - item)) : strdup(item);
    char* value = equals != NULL ? copy_trimmed(equals + 1, strlen(equals + 1)) : strdup(item);
    bool full = m->count == MEASURES_MOST, empty = item[0] == 0 || (value != NULL && value[0] == 0);
    free(item);
    if (name == NULL || value == NULL || full || empty)
    {
        free(name);
        free(value);
        return full    ? usage_error("--measure: at most %d", MEASURES_MOST)
               : empty ? usage_error("--measure: it must read a,b or name = expression")
                       : (fputs("kairos: out of memory\n", stderr), EXIT_RUN);
    }
    m->expressions |= equals != NULL || !is_name(value);
    m->at[m->count++] = (kaiGiven){name, value};
    return EXIT_DONE;
}

int measures_add(Measures* m, const char* text)
{
    int code = EXIT_DONE;
    size_t length;
    do
    {
        length = item_length(text);
        code = add_item(m, text, length);
        text += length + 1;
    } while (code == EXIT_DONE && text[-1] != 0);
    return code;
}

// A name alone is its final value.
static bool make_final(kaiGiven* given)
{
    size_t size = strlen(given->text) + sizeof "final()";
    char* text = malloc(size);
    if (text == NULL)
        return false;
    snprintf(text, size, "final(%s)", given->text);
    free((void*)given->text);
    given->text = text;
    return true;
}

int measures_compile(Measures* m, kaiCompileOptions* load)
{
    for (int i = 0; m->expressions && i < m->count; i++)
        if (is_name(m->at[i].text) && !make_final(&m->at[i]))
            return fputs("kairos: out of memory\n", stderr), EXIT_RUN;
    load->measures = m->at;
    load->measure_count = m->expressions ? m->count : 0;
    return EXIT_DONE;
}

int measures_variables(const Inquiry* q, int* variables, int* count)
{
    const Measures* m = &q->measures;
    *count = 0;
    for (int i = 0; !m->expressions && i < m->count; i++)
    {
        int one, code = inquiry_variables(q, "--measure", m->at[i].text, &variables[i], &one);
        if (code != EXIT_DONE)
            return code;
        (*count)++;
    }
    return EXIT_DONE;
}

void measures_free(Measures* m)
{
    for (int i = 0; i < m->count; i++)
    {
        free((void*)m->at[i].name);
        free((void*)m->at[i].text);
    }
    m->count = 0;
}
