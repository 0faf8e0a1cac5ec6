// See xml.h.
#include "fmi/xml.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    XML_DEPTH = 100,
    ATTRIBUTES_MOST = 200  // of an element; the standard has at most twenty
};

typedef struct Reader
{
    Arena* arena;
    const char *at, *end;
    const char* counted;  // up to where lines have been
    int line;
    const char* trouble;
    XmlElement *root, *open;
    int depth;
} Reader;

static int line_of(Reader* r)
{
    for (; r->counted < r->at; r->counted++)
        r->line += *r->counted == '\n';
    return r->line;
}

static bool wrong(Reader* r, const char* trouble)
{
    if (r->trouble == NULL)
        r->trouble = trouble;
    return false;
}

static bool starts(const Reader* r, const char* text)
{
    size_t length = strlen(text);
    return (size_t)(r->end - r->at) >= length && memcmp(r->at, text, length) == 0;
}

static void skip_space(Reader* r)
{
    while (r->at < r->end && isspace((unsigned char)*r->at))
        r->at++;
}

static bool skip_past(Reader* r, const char* text, const char* trouble)
{
    for (; r->at < r->end; r->at++)
        if (starts(r, text))
            return r->at += strlen(text), true;
    return wrong(r, trouble);
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || strchr("_:.-", c) != NULL || (unsigned char)c >= 0x80;
}

static const char* take_name(Reader* r)
{
    const char* from = r->at;
    while (r->at < r->end && *r->at != 0 && is_name(*r->at))
        r->at++;
    if (r->at == from)
        return wrong(r, "a name is missing"), "";
    return arena_copy_string(r->arena, from, (size_t)(r->at - from));
}

static char* put_character(char* to, unsigned long code)
{
    if (code < 0x80)
        *to++ = (char)code;
    else if (code < 0x800)
    {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    else if (code < 0x10000)
    {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    else
    {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

// &lt; &#65; … The text that stands for a character is longer than the character, so it fits where it was.
static bool take_entity(Reader* r, char** to)
{
    static const struct
    {
        const char* text;
        char is;
    } known[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (starts(r, known[i].text))
        {
            *(*to)++ = known[i].is;
            r->at += strlen(known[i].text);
            return true;
        }
    if (!starts(r, "&#"))
        return wrong(r, "an entity that XML does not know by itself");
    bool hexadecimal = starts(r, "&#x");
    char* end = NULL;
    unsigned long code = strtoul(r->at + (hexadecimal ? 3 : 2), &end, hexadecimal ? 16 : 10);
    if (end >= r->end || *end != ';' || code == 0 || code > 0x10ffff || end - r->at > 12)
        return wrong(r, "a character reference that is none");
    r->at = end + 1;
    *to = put_character(*to, code);
    return true;
}

static const char* take_value(Reader* r)
{
    char quote = r->at < r->end ? *r->at : 0;
    if (quote != '"' && quote != '\'')
        return wrong(r, "the value of an attribute must stand in quotes"), "";
    const char* close = memchr(r->at + 1, quote, (size_t)(r->end - r->at - 1));
    if (close == NULL)
        return wrong(r, "the value of an attribute does not end"), "";
    char* value = arena_alloc(r->arena, (size_t)(close - r->at));
    char* to = value;
    for (r->at++; r->at < close && r->trouble == NULL;)
    {
        if (*r->at == '<' || *r->at == 0)
            wrong(r, "a `<` in the value of an attribute");
        else if (*r->at == '&')
            take_entity(r, &to);
        else
            *to++ = *r->at++;
    }
    *to = 0;
    r->at = close + 1;
    return value;
}

static bool take_attribute(Reader* r, XmlElement* e)
{
    XmlAttribute a = {.name = take_name(r)};
    skip_space(r);
    if (r->at == r->end || *r->at != '=')
        return wrong(r, "an attribute without a value");
    r->at++;
    skip_space(r);
    a.value = take_value(r);
    if (e->attributes.count >= ATTRIBUTES_MOST)
        return wrong(r, "an element has too many attributes");
    if (xml_value(e, a.name) != NULL)
        return wrong(r, "an attribute stands twice");
    vec_push(r->arena, e->attributes, a);
    return r->trouble == NULL;
}

static void add_child(Reader* r, XmlElement* e)
{
    e->parent = r->open;
    if (r->open == NULL)
        r->root = e;
    else if (r->open->last == NULL)
        r->open->child = e;
    else
        r->open->last->next = e;
    if (r->open != NULL)
        r->open->last = e;
}

static bool open_element(Reader* r)
{
    if (r->root != NULL && r->open == NULL)
        return wrong(r, "there is more than one element at the top");
    if (r->depth == XML_DEPTH)
        return wrong(r, "elements are nested too deeply");
    XmlElement* e = arena_new(r->arena, XmlElement);
    e->line = line_of(r);
    r->at++;
    e->name = take_name(r);
    add_child(r, e);
    for (skip_space(r); r->at < r->end && *r->at != '>' && *r->at != '/' && r->trouble == NULL; skip_space(r))
        take_attribute(r, e);
    if (r->trouble != NULL)
        return false;
    if (starts(r, "/>"))
        return r->at += 2, true;
    if (!starts(r, ">"))
        return wrong(r, "an element does not end");
    r->at++;
    r->open = e;
    r->depth++;
    return true;
}

static bool close_element(Reader* r)
{
    r->at += 2;
    const char* name = take_name(r);
    skip_space(r);
    if (r->open == NULL || strcmp(name, r->open->name) != 0)
        return wrong(r, "an element ends that is not the one that began last");
    if (!starts(r, ">"))
        return wrong(r, "the end of an element does not end");
    r->at++;
    r->open = r->open->parent;
    r->depth--;
    return true;
}

static bool take_markup(Reader* r)
{
    if (starts(r, "<!--"))
        return skip_past(r, "-->", "a comment does not end");
    if (starts(r, "<?"))
        return skip_past(r, "?>", "an instruction does not end");
    if (starts(r, "<![CDATA["))
        return skip_past(r, "]]>", "a piece of text does not end");
    if (starts(r, "<!"))
        return wrong(r, "a document type, which descriptions have none of and which is not read");
    return starts(r, "</") ? close_element(r) : open_element(r);
}

XmlElement* xml_parse(Arena* arena, const char* text, size_t size, char* why, size_t why_size, int* line)
{
    Reader r = {.arena = arena, .at = text, .end = text + size, .counted = text, .line = 1};
    if (starts(&r, "\xef\xbb\xbf"))
        r.at += 3;
    while (r.trouble == NULL && r.at < r.end)
    {
        if (*r.at == '<')
            take_markup(&r);
        else if (r.open == NULL && !isspace((unsigned char)*r.at))
            wrong(&r, "text outside of all elements");
        else
            r.at++;
    }
    if (r.trouble == NULL && (r.root == NULL || r.open != NULL))
        wrong(&r, r.root == NULL ? "there is no element" : "it ends before its elements do");
    if (r.trouble == NULL)
        return r.root;
    *line = line_of(&r);
    snprintf(why, why_size, "%s", r.trouble);
    return NULL;
}

const char* xml_value(const XmlElement* e, const char* attribute)
{
    for (uint32_t i = 0; e != NULL && i < e->attributes.count; i++)
        if (strcmp(e->attributes.at[i].name, attribute) == 0)
            return e->attributes.at[i].value;
    return NULL;
}

const XmlElement* xml_child(const XmlElement* e, const char* name)
{
    for (const XmlElement* c = e != NULL ? e->child : NULL; c != NULL; c = c->next)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}
