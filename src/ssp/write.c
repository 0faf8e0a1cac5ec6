// SystemStructure.ssd (SSP 1.0, section 5): elements in the order of the schema. See system.h.
#include "base/text.h"
#include "fmi/describe.h"
#include "ssp/system.h"

#include <math.h>

static const char* const types[SSP_TYPES] = {"Real", "Integer", "Boolean"};

static void put_connectors(Writer* w, const SspConnector* list, uint32_t count, const char* indent)
{
    if (count == 0)
        return;
    writer_say(w, "%s<ssd:Connectors>\n", indent);
    for (uint32_t i = 0; i < count; i++)
    {
        writer_say(w, "%s  <ssd:Connector", indent);
        xml_attribute(w, "name", list[i].name);
        xml_attribute(w, "kind", list[i].output ? "output" : "input");
        writer_say(w, "><ssc:%s", types[list[i].type]);
        if (list[i].type == SSP_REAL)
            xml_attribute(w, "unit", list[i].unit);
        writer_put(w, "/></ssd:Connector>\n");
    }
    writer_say(w, "%s</ssd:Connectors>\n", indent);
}

static void put_values(Writer* w, const SspComponent* c)
{
    if (c->values.count == 0)
        return;
    writer_put(w,
               "        <ssd:ParameterBindings>\n          <ssd:ParameterBinding>\n            <ssd:ParameterValues>\n"
               "              <ssv:ParameterSet version=\"1.0\"");
    xml_attribute(w, "name", c->name);
    writer_put(w, ">\n                <ssv:Parameters>\n");
    for (uint32_t i = 0; i < c->values.count; i++)
    {
        const SspValue* v = &c->values.at[i];
        writer_put(w, "                  <ssv:Parameter");
        xml_attribute(w, "name", v->name);
        writer_say(w, "><ssv:%s", types[v->type]);
        if (v->type == SSP_BOOLEAN)
            xml_attribute(w, "value", v->value != 0 ? "true" : "false");
        else
            xml_number(w, "value", v->value);
        writer_put(w, "/></ssv:Parameter>\n");
    }
    writer_put(
        w, "                </ssv:Parameters>\n              </ssv:ParameterSet>\n            </ssd:ParameterValues>\n"
           "          </ssd:ParameterBinding>\n        </ssd:ParameterBindings>\n");
}

static void put_component(const SspSystem* s, Writer* w, const SspComponent* c)
{
    writer_put(w, "      <ssd:Component");
    xml_attribute(w, "name", c->name);
    xml_attribute(w, "type", "application/x-fmu-sharedlibrary");
    xml_attribute(w, "source", s->fmus.at[c->fmu].file);
    xml_attribute(w, "implementation", "any");
    writer_put(w, ">\n");
    put_connectors(w, c->connectors.at, c->connectors.count, "        ");
    put_values(w, c);
    writer_put(w, "      </ssd:Component>\n");
}

static void put_connections(const SspSystem* s, Writer* w)
{
    if (s->connections.count == 0)
        return;
    writer_put(w, "    <ssd:Connections>\n");
    for (uint32_t i = 0; i < s->connections.count; i++)
    {
        const SspConnection* c = &s->connections.at[i];
        writer_put(w, "      <ssd:Connection");
        xml_attribute(w, "startElement", c->from);
        xml_attribute(w, "startConnector", c->from_connector);
        xml_attribute(w, "endElement", c->to);
        xml_attribute(w, "endConnector", c->to_connector);
        writer_put(w, "/>\n");
    }
    writer_put(w, "    </ssd:Connections>\n");
}

char* system_write(const SspSystem* s, Arena* arena)
{
    Writer w = {.arena = arena};
    writer_put(&w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ssd:SystemStructureDescription\n"
                   "    xmlns:ssc=\"http://ssp-standard.org/SSP1/SystemStructureCommon\"\n"
                   "    xmlns:ssd=\"http://ssp-standard.org/SSP1/SystemStructureDescription\"\n"
                   "    xmlns:ssv=\"http://ssp-standard.org/SSP1/SystemStructureParameterValues\"\n"
                   "    version=\"1.0\"");
    xml_attribute(&w, "name", s->name);
    xml_attribute(&w, "generationTool", arena_printf(arena, "Kairos %s", kaiVersion()));
    writer_put(&w, ">\n  <ssd:System");
    xml_attribute(&w, "name", s->name);
    writer_put(&w, ">\n");
    put_connectors(&w, s->connectors.at, s->connectors.count, "    ");
    writer_put(&w, "    <ssd:Elements>\n");
    for (uint32_t i = 0; i < s->components.count; i++)
        put_component(s, &w, &s->components.at[i]);
    writer_put(&w, "    </ssd:Elements>\n");
    put_connections(s, &w);
    writer_put(&w, "  </ssd:System>\n  <ssd:DefaultExperiment");
    xml_number(&w, "startTime", s->start);
    if (isfinite(s->stop))
        xml_number(&w, "stopTime", s->stop);
    writer_put(&w, "/>\n</ssd:SystemStructureDescription>\n");
    return writer_text(&w);
}
