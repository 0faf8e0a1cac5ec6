// XML as descriptions of FMUs use it: elements with attributes, UTF-8, no document types (which entities could be made
// large with). Text between elements is passed over.
#ifndef KAIROS_FMI_XML_H
#define KAIROS_FMI_XML_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct XmlAttribute
{
    const char *name, *value;
} XmlAttribute;

typedef struct XmlElement XmlElement;
struct XmlElement
{
    const char* name;
    int line;
    VEC(XmlAttribute) attributes;
    XmlElement *parent, *child, *next, *last;  // the last child
};

// The root; NULL: `why` is a sentence, and *line says where.
XmlElement* xml_parse(Arena* arena, const char* text, size_t size, char* why, size_t why_size, int* line);
// NULL: there is none.
const char* xml_value(const XmlElement* element, const char* attribute);
const XmlElement* xml_child(const XmlElement* element, const char* name);

#endif
