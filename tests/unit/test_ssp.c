// Systems of FMUs (src/ssp, SSP 1.0): a model becomes components, values and connections; a description of anybody
// becomes a model, word for word; and a sentence for whatever is no system.
#include "guest_fixture.h"

#include <sys/stat.h>

// ---- reading

static const char whole[] =
    "<?xml version=\"1.0\"?>\n"
    "<ssd:SystemStructureDescription name=\"two tanks\" version=\"1.0\">\n"
    "<ssd:System name=\"two tanks\">\n"
    "<ssd:Connectors><ssd:Connector name=\"tap\" kind=\"input\"/><ssd:Connector name=\"level\" kind=\"output\"/>"
    "<ssd:Annotations/></ssd:Connectors>\n"
    "<ssd:Elements>\n"
    "<ssd:Component name=\"2nd tank\" source=\"resources/tank.fmu\"><ssd:Connectors>"
    "<ssd:Connector name=\"u\" kind=\"input\"/><ssd:Connector name=\"x\" kind=\"output\"/>"
    "<ssd:Connector name=\"k\" kind=\"parameter\"/><ssd:Annotations/></ssd:Connectors>"
    "<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet><ssv:Parameters>"
    "<ssv:Parameter name=\"k\"><ssv:Real value=\"0.25\"/></ssv:Parameter><ssv:Units/>"
    "<ssv:Parameter name=\"i\"><ssv:Integer value=\"5\"/></ssv:Parameter>"
    "</ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding><ssd:ParameterBinding/>"
    "</ssd:ParameterBindings></ssd:Component>\n"
    "<ssd:Component name=\"model\" source=\"resources/tank.fmu\"><ssd:Connectors>"
    "<ssd:Connector name=\"u\" kind=\"input\"/><ssd:Connector name=\"x\" kind=\"output\"/></ssd:Connectors>"
    "</ssd:Component>\n"
    "</ssd:Elements>\n"
    "<ssd:ParameterBindings><ssd:ParameterBinding source=\"values.ssv\"/></ssd:ParameterBindings>\n"
    "<ssd:Connections>"
    "<ssd:Connection startConnector=\"tap\" endElement=\"2nd tank\" endConnector=\"u\"/>"
    "<ssd:Connection startElement=\"2nd tank\" startConnector=\"x\" endElement=\"model\" endConnector=\"u\">"
    "<ssd:ConnectionGeometry/></ssd:Connection>"
    "<ssd:Connection startElement=\"model\" startConnector=\"x\" endConnector=\"level\"/><ssd:Annotations/>"
    "</ssd:Connections>\n"
    "</ssd:System>\n"
    "<ssd:DefaultExperiment startTime=\"0.5\" stopTime=\"2\"/>\n"
    "</ssd:SystemStructureDescription>\n";

static const char values[] = "<ssv:ParameterSet><ssv:Parameters><ssv:Parameter name=\"model.k\"><ssv:Real "
                             "value=\"2\"/></ssv:Parameter><ssv:Parameter name=\"model.b\"><ssv:Boolean "
                             "value=\"true\"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet>\n";

// The system as a file; NULL leaves a member out.
static void write_system(const char* path, const char* description, const char* set, const char* fmu)
{
    jmp_buf no_memory;
    Arena arena;
    Bytes made = {NULL, 0, 0}, part = {NULL, 0, 0};
    kaiSink sink = {bytes_write, &made};
    arena_init(&arena, kaiDefaultAllocator(), &no_memory);
    ZipWriter zip = {.arena = &arena, .sink = &sink};
    if (description != NULL)
        zip_add(&zip, "SystemStructure.ssd", description, strlen(description));
    if (set != NULL)
        zip_add(&zip, "values.ssv", set, strlen(set));
    if (fmu != NULL)
    {
        part = fmi_archive(&arena, fmu);
        zip_add(&zip, "resources/tank.fmu", part.at, part.size);
    }
    zip_add(&zip, "resources/none.fmu", "no archive", 10);
    assert_int_equal(zip_finish(&zip), KAI_OK);
    FILE* out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(made.at, 1, made.size, out), made.size);
    assert_int_equal(fclose(out), 0);
    free(made.at), free(part.at);
    arena_free(&arena);
}

static void path_of(const Guests* g, const char* name, char path[80])
{
    snprintf(path, 80, "%s/%s", g->folder, name);
}

// Names become identifiers, values arguments, connections definitions; an input that nobody feeds keeps its value.
static void a_system_is_a_model(void** state)
{
    const Guests* g = *state;
    char path[80], text[80];
    size_t size;
    kaiError error = {0};
    path_of(g, "s.ssp", path);
    write_system(path, whole, values, tank_2);
    assert_int_equal(kaiSsp_Read(path, NULL, kaiDefaultAllocator(), &error), KAI_OK);
    kaiStatus status = kaiSsp_Read(path, g->folder, kaiDefaultAllocator(), &error);
    if (status != KAI_OK)
        fail_msg("%s", error.message);
    path_of(g, "system.kai", text);
    char* made = read_whole(text, &size);
    made[size] = 0;
    assert_string_equal(made, "fmu Part1 = \"part1.fmu\"\n"
                              "model two_tanks {\n"
                              "  input tap = 0\n"
                              "  output level = model_.x\n"
                              "  v2nd_tank : Part1(k = 0.25)\n"
                              "  model_ : Part1(k = 2)\n"
                              "  v2nd_tank.u = tap\n"
                              "  v2nd_tank.i = 5\n"
                              "  model_.u = v2nd_tank.x\n"
                              "  model_.b = 1\n"
                              "}\n"
                              "experiment e of two_tanks { start = 0.5; stop = 2 }\n");
    free(made);
    path_of(g, "part1.fmu", text);
    made = read_whole(text, &size);
    assert_memory_equal(made, "PK", 2);
    free(made);
    assert_int_equal(kaiSsp_Read(path, "/nowhere/at/all", kaiDefaultAllocator(), &error), KAI_ERR_IO);
    assert_non_null(strstr(error.message, "/nowhere/at/all/system.kai cannot be written: No such file"));
}

// Every `old` with `new` in its place is no system, for the reason given.
static void a_broken_system_is_told(void** state)
{
    static const char* const cases[][3] = {
        {"</ssd:System>", "", "SystemStructure.ssd:"},
        {"SystemStructureDescription name", "Other name", "SystemStructure.ssd:"},
        {" name=\"two tanks\" version", " version", "ssd:SystemStructureDescription without name"},
        {"<ssd:System name=\"two tanks\">", "<ssd:Nothing/><ssd:System name=\"two tanks\">", NULL},
        {"ssd:Elements>\n<", "ssd:Others>\n<", "s.ssp"},
        {"Component name=\"model\"", "Component", "ssd:Component without name"},
        {"Component name=\"model\"", "Component name=\"2nd tank\"", "there are two components 2nd tank"},
        {"<ssd:Component name=\"model\"", "<ssd:System name=\"inner\"/><ssd:Component name=\"model\"",
         "the system has no elements"},
        {" source=\"resources/tank.fmu\"", "", "ssd:Component without source"},
        {"source=\"resources/tank.fmu\"", "source=\"resources/cup.fmu\"", "there is no resources/cup.fmu"},
        {"source=\"resources/tank.fmu\"", "source=\"resources/none.fmu\"", "resources/none.fmu: "},
        {"Connector name=\"u\" kind=\"input\"", "Connector name=\"w\" kind=\"input\"",
         "the FMU of 2nd tank has no variable w"},
        {"Connector name=\"u\" kind=\"input\"", "Connector name=\"u\" kind=\"output\"",
         "u of 2nd tank is no output of its FMU"},
        {"Connector name=\"u\" kind=\"input\"", "Connector name=\"u\" kind=\"both\"", "a connector of kind both"},
        {"Connector name=\"u\" kind=\"input\"", "Connector name=\"u\"", "ssd:Connector without kind"},
        {"Connector name=\"tap\" kind=\"input\"", "Connector kind=\"input\"", "ssd:Connector without name"},
        {"Parameter name=\"k\"", "Parameter", "ssv:Parameter without name"},
        {"Parameter name=\"k\"", "Parameter name=\"kk\"", "the FMU of 2nd tank has no variable kk"},
        {"<ssv:Real value=\"0.25\"/>", "", "the parameter k has no value"},
        {"<ssv:Real value=\"0.25\"/>", "<ssv:Real/>", "the parameter k has no value"},
        {"<ssv:Real value=\"0.25\"/>", "<ssv:Real value=\"much\"/>", "much is no number"},
        {"source=\"values.ssv\"", "source=\"others.ssv\"", "there is no others.ssv in the archive"},
        {"startElement=\"2nd tank\"", "startElement=\"third\"", "there is no component third"},
        {"endElement=\"model\" endConnector=\"u\"", "endElement=\"model\" endConnector=\"x\"",
         "x of model is on the wrong end"},
        {"endElement=\"model\" endConnector=\"u\"", "endElement=\"model\" endConnector=\"z\"",
         "model has no connector z"},
        {"endConnector=\"level\"", "endConnector=\"tap\"", "tap of the system is on the wrong end"},
        {"endConnector=\"level\"", "endConnector=\"depth\"", "the system has no connector depth"},
        {"endConnector=\"level\"", "", "ssd:Connection without endConnector"},
        {"endElement=\"model\" endConnector=\"u\"", "endElement=\"2nd tank\" endConnector=\"u\"",
         "u has two connections"},
        {"<ssd:ConnectionGeometry/>", "<ssd:LinearTransformation factor=\"x\"/>", "factor = \"x\" is no number"},
        {"<ssd:ConnectionGeometry/>", "<ssd:LinearTransformation/>", NULL},
    };
    const Guests* g = *state;
    char path[80];
    path_of(g, "s.ssp", path);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        kaiError error = {0};
        char* text = changed(whole, cases[i][0], cases[i][1]);
        write_system(path, text, values, tank_2);
        kaiStatus status = kaiSsp_Read(path, NULL, kaiDefaultAllocator(), &error);
        bool fine = cases[i][2] == NULL;
        if (fine ? status != KAI_OK : status != KAI_ERR_MODEL || strstr(error.message, cases[i][2]) == NULL)
            fail_msg("\"%s\": status %d, \"%s\"", cases[i][1], status, error.message != NULL ? error.message : "");
        free(text);
    }
}

// Transformations, kinds, types, units and mappings, one change each.
#define GEOMETRY "<ssd:ConnectionGeometry/>"
#define BOUND "<ssd:ParameterBinding source=\"values.ssv\"/>"
#define MAPPED(inside)                                                                                                 \
    "<ssd:ParameterBinding source=\"values.ssv\"><ssd:ParameterMapping>" inside                                        \
    "</ssd:ParameterMapping></ssd:ParameterBinding>"

#define NAMES(entry)                                                                                                   \
    "<ssc:EnumerationMappingTransformation><ssc:MapEntry " entry "/></ssc:EnumerationMappingTransformation>"

#define WHOLE(entry) "<ssc:IntegerMappingTransformation><ssc:MapEntry " entry "/></ssc:IntegerMappingTransformation>"
#define FIVE "<ssv:Integer value=\"5\"/></ssv:Parameter></ssv:Parameters>"
#define ENUMERATION(item)                                                                                              \
    "<ssv:Enumeration name=\"E\" value=\"" item                                                                        \
    "\"/></ssv:Parameter></ssv:Parameters><ssv:Enumerations><ssc:Enumeration name=\"E\"><ssc:Item name=\"b\" "         \
    "value=\"3\"/></ssc:Enumeration></ssv:Enumerations>"

static const char* const descriptions[][3] = {
    {GEOMETRY, "<ssc:LinearTransformation factor=\"2\" offset=\"1\"/>", NULL},
    {GEOMETRY, "<ssc:LinearTransformation factor=\"two\"/>", "two"},
    {GEOMETRY,
     "<ssc:BooleanMappingTransformation><ssc:MapEntry source=\"true\" target=\"false\"/>"
     "</ssc:BooleanMappingTransformation>",
     NULL},
    {GEOMETRY, "<ssc:IntegerMappingTransformation><ssc:MapEntry source=\"1\"/></ssc:IntegerMappingTransformation>",
     "an entry of a mapping without source or target"},
    {GEOMETRY, "<ssc:EnumerationMappingTransformation/>", NULL},
    {GEOMETRY, NAMES("source=\"a\" target=\"b\""), "\"a\" is a name of an enumeration that is nowhere defined"},
    {GEOMETRY, "<ssc:Transformation/>", "ssc:Transformation is not understood"},
    {"name=\"model\" source", "name=\"model\" implementation=\"CoSimulation\" source", NULL},
    {"name=\"model\" source", "name=\"model\" implementation=\"ModelExchange\" source", NULL},
    {"name=\"model\" source", "name=\"model\" implementation=\"Other\" source", "there is no implementation \"Other\""},
    {"name=\"model\" source", "name=\"model\" type=\"text/plain\" source", "is of type text/plain"},
    {"name=\"model\" source=\"resources/tank.fmu\"",
     "name=\"model\" type=\"application/x-ssp-definition\" source=\"SystemStructure.ssd\"",
     "SystemStructure.ssd contains itself"},
    {"<ssv:Real value=\"0.25\"/>", "<ssv:String value=\"x\"/>", "numbers, Booleans and enumerations are understood"},
    {"<ssv:Real value=\"0.25\"/>", "<ssv:Boolean value=\"maybe\"/>", "maybe is no Boolean"},
    {"<ssv:Real value=\"0.25\"/>", "<ssv:Real value=\"0.25\" unit=\"W\"/>", "W"},
    {"Connector name=\"k\" kind=\"parameter\"", "Connector name=\"k\" kind=\"inout\"", NULL},
    {"Connector name=\"k\" kind=\"parameter\"", "Connector name=\"k\" kind=\"outin\"", "kind outin"},
    {"Connector name=\"k\" kind=\"parameter\"", "Connector name=\"u\" kind=\"input\"", "2nd tank has two connectors u"},
    {"Connector name=\"k\" kind=\"parameter\"", "Connector name=\"rings\" kind=\"parameter\"",
     "rings of 2nd tank is no parameter of its FMU"},
    {"<ssd:Connector name=\"u\" kind=\"input\"/>",
     "<ssd:Connector name=\"u\" kind=\"input\"><ssc:Real unit=\"W\"/></ssd:Connector>", "the unit W is not defined"},
    {"<ssd:Elements>", "<ssd:SignalDictionaries/><ssd:Elements>", "signal dictionaries are not understood"},
    {"tanks\" version=\"1.0\"", "tanks\" version=\"2.0\"", "version \"2.0\" of SSP: 1.0 is understood"},
    {BOUND,
     MAPPED("<ssm:ParameterMapping><ssm:MappingEntry source=\"model.k\" target=\"model.k\">"
            "<ssc:LinearTransformation factor=\"2\"/></ssm:MappingEntry><ssm:Other/></ssm:ParameterMapping>"),
     NULL},
    {BOUND, MAPPED(""), "a mapping of parameters that is neither here nor in a file"},
    {BOUND, MAPPED("<ssm:ParameterMapping><ssm:MappingEntry source=\"model.k\"/></ssm:ParameterMapping>"),
     "without target"},
    {BOUND,
     MAPPED("<ssm:ParameterMapping><ssm:MappingEntry source=\"model.k\" target=\"model.k\">"
            "<ssc:BooleanMappingTransformation/></ssm:MappingEntry></ssm:ParameterMapping>"),
     NULL},
    {BOUND,
     MAPPED("<ssm:ParameterMapping><ssm:MappingEntry source=\"model.k\" target=\"model.k\">"
            "<ssc:EnumerationMappingTransformation/></ssm:MappingEntry></ssm:ParameterMapping>"),
     "is not understood here"},
    {GEOMETRY, WHOLE("source=\"1\" target=\"2\""), NULL},
    {GEOMETRY, WHOLE("source=\"one\" target=\"2\""), "one is no whole number"},
    {FIVE, ENUMERATION("b"), NULL},
    {FIVE, ENUMERATION("c"), "the enumeration E has no \"c\""},
    {BOUND,
     MAPPED("<ssm:ParameterMapping><ssm:MappingEntry source=\"model.k\" target=\"model.k\">"
            "<ssc:IntegerMappingTransformation><ssc:MapEntry source=\"2\" "
            "target=\"3\"/></ssc:IntegerMappingTransformation>"
            "</ssm:MappingEntry></ssm:ParameterMapping>"),
     NULL},
    {BOUND, "<ssd:ParameterBinding source=\"values.ssv\" sourceBase=\"SSD\"/>", NULL},
    {BOUND, "<ssd:ParameterBinding source=\"values.ssv\" sourceBase=\"folder\"/>", "there is no sourceBase \"folder\""},
    {"stopTime=\"2\"", "stopTime=\"0.25\"", "stopTime 0.25 is not behind startTime 0.5"},
    {"startTime=\"0.5\"", "startTime=\"soon\"", "startTime = \"soon\" is no number"},
    {"<ssd:Elements>", "<ssd:Elements><ssd:SignalDictionaryReference/>", "signal dictionaries are not understood"},
    {"endElement=\"2nd tank\" endConnector=\"u\"", "endElement=\"2nd tank\" endConnector=\"k\"",
     "the parameter k is connected to tap, which changes"},
    {"startConnector=\"tap\" endElement=\"2nd tank\" endConnector=\"u\"",
     "startElement=\"2nd tank\" startConnector=\"u\" endConnector=\"tap\"", "is on the wrong end"},
};

static void what_a_description_may_have(void** state)
{
    const Guests* g = *state;
    char path[80];
    path_of(g, "s.ssp", path);
    for (size_t i = 0; i < sizeof descriptions / sizeof *descriptions; i++)
    {
        kaiError error = {0};
        char* text = changed(whole, descriptions[i][0], descriptions[i][1]);
        write_system(path, text, values, tank_2);
        kaiStatus status = kaiSsp_Read(path, g->folder, kaiDefaultAllocator(), &error);
        bool fine = descriptions[i][2] == NULL;
        if (fine ? status != KAI_OK : status != KAI_ERR_MODEL || strstr(error.message, descriptions[i][2]) == NULL)
            fail_msg("\"%s\": status %d, \"%s\"", descriptions[i][1], status,
                     error.message != NULL ? error.message : "");
        free(text);
    }
}

// An inflow in kW of the system for a tank that counts in plain numbers; a unit without a factor is none.
static void connectors_have_units(void** state)
{
    const Guests* g = *state;
    char path[80];
    kaiError error = {0};
    path_of(g, "s.ssp", path);
    char* a = changed(whole, "<ssd:Connector name=\"tap\" kind=\"input\"/>",
                      "<ssd:Connector name=\"tap\" kind=\"input\"><ssc:Real unit=\"kW\"/></ssd:Connector>");
    char* b = changed(a, "<ssd:Connector name=\"u\" kind=\"input\"/>",
                      "<ssd:Connector name=\"u\" kind=\"input\"><ssc:Real unit=\"kW\"/></ssd:Connector>");
    char* c = changed(b, "<ssd:System name=\"two tanks\">",
                      "<ssd:Units><ssc:Unit name=\"kW\"><ssc:BaseUnit kg=\"1\" m=\"2\" s=\"-3\" factor=\"1000\"/>"
                      "</ssc:Unit></ssd:Units><ssd:System name=\"two tanks\">");
    write_system(path, c, values, tank_2);
    kaiStatus status = kaiSsp_Read(path, g->folder, kaiDefaultAllocator(), &error);
    if (status != KAI_OK)
        fail_msg("%s", error.message);
    char text[80];
    size_t size;
    path_of(g, "system.kai", text);
    char* made = read_whole(text, &size);
    made[size] = 0;
    if (strstr(made, "kg*m^2/s^3") == NULL)
        fail_msg("%s", made);
    char* d = changed(c, "factor=\"1000\"", "factor=\"0\"");
    write_system(path, d, values, tank_2);
    assert_int_equal(kaiSsp_Read(path, NULL, kaiDefaultAllocator(), &error), KAI_ERR_MODEL);
    assert_non_null(strstr(error.message, "the unit kW has no factor that can be used"));
    free(a), free(b), free(c), free(d), free(made);
}

// A component may be a system of its own, in another file of the archive; what it repeats of its connectors must be
// there.
static void a_part_in_another_file(void** state)
{
    static const char inner[] =
        "<ssd:SystemStructureDescription name=\"inner\" version=\"1.0\"><ssd:System name=\"inner\"><ssd:Connectors>"
        "<ssd:Connector name=\"u\" kind=\"input\"/><ssd:Connector name=\"x\" kind=\"output\"/></ssd:Connectors>"
        "<ssd:Elements><ssd:Component name=\"tank\" source=\"resources/tank.fmu\"><ssd:Connectors>"
        "<ssd:Connector name=\"u\" kind=\"input\"/><ssd:Connector name=\"x\" kind=\"output\"/></ssd:Connectors>"
        "</ssd:Component></ssd:Elements><ssd:Connections>"
        "<ssd:Connection startConnector=\"u\" endElement=\"tank\" endConnector=\"u\"/>"
        "<ssd:Connection startElement=\"tank\" startConnector=\"x\" endConnector=\"x\"/></ssd:Connections>"
        "</ssd:System></ssd:SystemStructureDescription>\n";
    const Guests* g = *state;
    char path[80], text[80];
    size_t size;
    kaiError error = {0};
    path_of(g, "s.ssp", path);
    char* a = changed(whole, "name=\"model\" source=\"resources/tank.fmu\"",
                      "name=\"model\" type=\"application/x-ssp-definition\" source=\"values.ssv\"");
    char* b = changed(a, "<ssd:ParameterBinding source=\"values.ssv\"/>", "");
    write_system(path, b, inner, tank_2);
    kaiStatus status = kaiSsp_Read(path, g->folder, kaiDefaultAllocator(), &error);
    if (status != KAI_OK)
        fail_msg("%s", error.message);
    path_of(g, "system.kai", text);
    char* made = read_whole(text, &size);
    made[size] = 0;
    if (strstr(made, "model__tank : Part1") == NULL || strstr(made, "signal model__u = v2nd_tank.x\n") == NULL ||
        strstr(made, "model__tank.u = model__u\n") == NULL)
        fail_msg("%s", made);
    char* c = changed(inner, "SystemStructureDescription name", "Other name");
    char* d = changed(c, "/ssd:SystemStructureDescription", "/ssd:Other");
    write_system(path, b, d, tank_2);
    assert_int_equal(kaiSsp_Read(path, NULL, kaiDefaultAllocator(), &error), KAI_ERR_MODEL);
    assert_non_null(strstr(error.message, "values.ssv describes no system"));
    char* e = changed(
        inner, "name=\"u\" kind=\"input\"/><ssd:Connector name=\"x\" kind=\"output\"/></ssd:Connectors><ssd:Elements>",
        "name=\"u\" kind=\"input\"/></ssd:Connectors><ssd:Elements>");
    char* f = changed(e, "<ssd:Connection startElement=\"tank\" startConnector=\"x\" endConnector=\"x\"/>", "");
    write_system(path, b, f, tank_2);
    assert_int_equal(kaiSsp_Read(path, NULL, kaiDefaultAllocator(), &error), KAI_ERR_MODEL);
    assert_non_null(strstr(error.message, "has no connector x"));
    free(a), free(b), free(c), free(d), free(e), free(f), free(made);
}

// What has no direction is connected either way, but a transformation goes one way.
static void without_direction(void** state)
{
    const Guests* g = *state;
    char path[80];
    kaiError error = {0};
    path_of(g, "s.ssp", path);
    char* a = changed(whole, "name=\"tap\" kind=\"input\"", "name=\"tap\" kind=\"inout\"");
    char* b = changed(a, "startConnector=\"tap\" endElement=\"2nd tank\" endConnector=\"u\"/>",
                      "startElement=\"2nd tank\" startConnector=\"u\" endConnector=\"tap\"/>");
    char* c = changed(b, "endConnector=\"tap\"/>",
                      "endConnector=\"tap\"><ssc:LinearTransformation factor=\"2\"/></ssd:Connection>");
    write_system(path, b, values, tank_2);
    kaiStatus status = kaiSsp_Read(path, NULL, kaiDefaultAllocator(), &error);
    if (status != KAI_OK)
        fail_msg("%s", error.message);
    write_system(path, c, values, tank_2);
    assert_int_equal(kaiSsp_Read(path, NULL, kaiDefaultAllocator(), &error), KAI_ERR_MODEL);
    assert_non_null(strstr(error.message, "the connection of u has a transformation the other way"));
    free(a), free(b), free(c);
}

static void other_members_are_looked_at(void** state)
{
    const Guests* g = *state;
    char path[80], *text;
    kaiError error = {0};
    path_of(g, "s.ssp", path);
    write_system(path, NULL, values, tank_2);
    assert_int_equal(kaiSsp_Read(path, NULL, kaiDefaultAllocator(), &error), KAI_ERR_MODEL);
    assert_non_null(strstr(error.message, "there is no SystemStructure.ssd in the archive"));
    write_system(path, whole, "<no end", tank_2);
    assert_int_equal(kaiSsp_Read(path, NULL, kaiDefaultAllocator(), &error), KAI_ERR_MODEL);
    assert_non_null(strstr(error.message, "values.ssv:1: "));
    text = changed(values, "model.k", "k");
    write_system(path, whole, text, tank_2);
    assert_int_equal(kaiSsp_Read(path, NULL, kaiDefaultAllocator(), &error), KAI_ERR_MODEL);
    assert_non_null(strstr(error.message, "k is no parameter of a component"));
    free(text);
    text = changed(tank_2, "modelName=\"a tank\" ", "");
    write_system(path, whole, values, text);
    assert_int_equal(kaiSsp_Read(path, NULL, kaiDefaultAllocator(), &error), KAI_ERR_MODEL);
    assert_non_null(strstr(error.message, "resources/tank.fmu: modelName is missing"));
    free(text);
    assert_int_equal(kaiSsp_Read("README.md", NULL, kaiDefaultAllocator(), &error), KAI_ERR_MODEL);
    assert_int_equal(kaiSsp_Read("/nowhere.ssp", NULL, kaiDefaultAllocator(), &error), KAI_ERR_IO);
    assert_non_null(strstr(error.message, "/nowhere.ssp cannot be read: No such file"));
    assert_int_equal(kaiSsp_Read(NULL, NULL, kaiDefaultAllocator(), &error), KAI_ERR_USAGE);
    assert_int_equal(kaiSsp_Read(path, NULL, (kaiAllocator){NULL, NULL}, &error), KAI_ERR_USAGE);
}

static void reading_without_memory(void** state)
{
    const Guests* g = *state;
    char path[80];
    kaiError error;
    path_of(g, "s.ssp", path);
    write_system(path, whole, values, tank_2);
    Heap all = {.fail_at = -1};
    assert_int_equal(kaiSsp_Read(path, g->folder, (kaiAllocator){heap_alloc, &all}, &error), KAI_OK);
    assert_int_equal(all.live, 0);
    for (long n = 0; n < all.calls; n++)
    {
        Heap heap = {.fail_at = n};
        assert_int_equal(kaiSsp_Read(path, g->folder, (kaiAllocator){heap_alloc, &heap}, &error), KAI_ERR_MEMORY);
        assert_int_equal(heap.live, 0);
    }
}

// ---- writing

static kaiStatus export_text(const char* text, kaiFmuOptions options, kaiAllocator allocator, Bytes* to,
                             kaiError* error)
{
    kaiProgramOptions source = kaiDefaultProgramOptions();
    kaiCompileOptions which = kaiDefaultCompileOptions();
    source.path = "system.kai";
    source.text = text;
    source.allocator = allocator;
    which.experiment = "e";
    options.version = 2;
    if (to != NULL)
        options.sink = (kaiSink){bytes_write, to};
    return kaiSsp_Export(&source, &which, &options, error);
}

static const char chain[] =
    "model A { param f = 1; output y = f*time; output event e = clock(1) }\n"
    "model B { input u; input event r; param n = 1; state x[i in 1..n] = 0\n"
    "  for i in 1..n { x[i]' = u }; when r { x[1] := 0 } }\n"
    "model M { param g = 3; input w = 0; a : A(f = g); b : B; c : B(n = 2); d : B\n"
    "  signal mid = a.y; b.u = mid; b.r = a.e; c.u = b.x[1]; d.u = w; d.r = a.e; c.r = a.e; output z = c.x[2]\n"
    "  output event o = a.e; f : B; f.u = 4; f.r = a.e }\n"
    "experiment e of M { start = 0; stop = 2; solver = cvode_bdf; step = 0.1 }\n";

// Components, two FMUs for the two structures of B, values that differ from the default, and each connection.
static void a_model_is_a_system(void** state)
{
    (void)state;
    static const char* const lines[] = {
        "<ssd:Connector name=\"w\" kind=\"input\"><ssc:Real/></ssd:Connector>",
        "<ssd:Connector name=\"z\" kind=\"output\"><ssc:Real/></ssd:Connector>",
        "<ssd:Component name=\"a\" type=\"application/x-fmu-sharedlibrary\" source=\"resources/A.fmu\"",
        "<ssd:Component name=\"b\" type=\"application/x-fmu-sharedlibrary\" source=\"resources/B.fmu\"",
        "<ssd:Component name=\"c\" type=\"application/x-fmu-sharedlibrary\" source=\"resources/B_2.fmu\"",
        "<ssd:Component name=\"d\" type=\"application/x-fmu-sharedlibrary\" source=\"resources/B.fmu\"",
        "<ssv:Parameter name=\"f\"><ssv:Real value=\"3\"/></ssv:Parameter>",
        "<ssd:Connection startElement=\"a\" startConnector=\"y\" endElement=\"b\" endConnector=\"u\"/>",
        "<ssd:Connection startElement=\"a\" startConnector=\"e\" endElement=\"b\" endConnector=\"r\"/>",
        "<ssd:Connection startElement=\"a\" startConnector=\"e.value\" endElement=\"b\" endConnector=\"r.value\"/>",
        "<ssd:Connection startElement=\"b\" startConnector=\"x[1]\" endElement=\"c\" endConnector=\"u\"/>",
        "<ssd:Connection startConnector=\"w\" endElement=\"d\" endConnector=\"u\"/>",
        "<ssd:Connection startElement=\"c\" startConnector=\"x[2]\" endConnector=\"z\"/>",
        "<ssd:Connector name=\"o.value\" kind=\"output\"><ssc:Real/></ssd:Connector>",
        "<ssd:Connection startElement=\"a\" startConnector=\"e\" endConnector=\"o\"/>",
        "<ssd:DefaultExperiment startTime=\"0\" stopTime=\"2\"/>",
    };
    Bytes made = {NULL, 0, 0};
    kaiError error = {0};
    if (export_text(chain, kaiDefaultFmuOptions(), kaiDefaultAllocator(), &made, &error) != KAI_OK)
        fail_msg("%s", error.message);
    jmp_buf no_memory;
    Arena arena;
    size_t size;
    arena_init(&arena, kaiDefaultAllocator(), &no_memory);
    char* found = fmi_part(&arena, &made, "SystemStructure.ssd", &size);
    char* text = arena_copy_string(&arena, found, size);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (strstr(text, lines[i]) == NULL)
            fail_msg("there is no %s in\n%s", lines[i], text);
    assert_non_null(fmi_part(&arena, &made, "resources/B_2.fmu", NULL));
    arena_free(&arena);
    free(made.at);
}

static void what_is_no_system_is_refused(void** state)
{
    (void)state;
    static const char* const cases[][2] = {
        {"model M { state z = 0; z' = 1 }", "M has no instances: export it as model.fmu"},
        {"model M { a : A; b : B; b.u = 2*a.y }", "`b.u` is computed where it is connected"},
        {"model M { a : A; b : B; b.u = a.y; state z = 0; z' = b.u }", "`z` changes by itself"},
        {"model M { a : A; b : B; b.u = a.y; discrete n = 0 }", "`n` changes by itself"},
        {"model M { a : A; b : B; b.u = a.y; when up(a.y) { } }", "`when` stands in the model itself"},
        {"model M { a : A; b : B; b.u = a.y; unknown q = 0; equation q^3 + q == a.y }", "`q` is solved for"},
        {"model M { a : A; b : B; b.u = a.y; event s; b.r = s; when a.e { emit s } }", "`s` is emitted by the model"},
        {"model M { a : A; b : B; b.u = nobody }", "there is no `nobody`"},
        {"import \"electrical.kai\"\nmodel M { r : Resistor(R = 1); c : Capacitor(C = 1); connect r.a, c.a; connect "
         "r.b, c.b }",
         "exchanges power"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        char text[800];
        Bytes made = {NULL, 0, 0};
        kaiError error = {0};
        bool import = strncmp(cases[i][0], "import", 6) == 0;
        snprintf(text, sizeof text, "%s%s\nexperiment e of M { stop = 1 }\n", import ? "" : chain, cases[i][0]);
        char* own = import ? NULL : strstr(text, "model M { param g");
        if (own != NULL)  // only the parts of the chain
            memmove(own, strstr(own, "0.1 }\n") + 6, strlen(strstr(own, "0.1 }\n") + 6) + 1);
        kaiStatus status = export_text(text, kaiDefaultFmuOptions(), kaiDefaultAllocator(), &made, &error);
        if ((status != KAI_ERR_USAGE && status != KAI_ERR_MODEL) || strstr(error.message, cases[i][1]) == NULL)
            fail_msg("%s: status %d, \"%s\"", cases[i][0], status, error.message != NULL ? error.message : "");
        free(made.at);
    }
}

static kaiStatus full(void* user, const char* bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return KAI_ERR_IO;
}

static void options_and_places_are_looked_at(void** state)
{
    const Guests* g = *state;
    kaiProgramOptions source = kaiDefaultProgramOptions();
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiFmuOptions options = kaiDefaultFmuOptions();
    kaiError error = {0};
    char path[80];
    assert_int_equal(kaiSsp_Export(NULL, &which, &options, &error), KAI_ERR_USAGE);
    assert_int_equal(kaiSsp_Export(&source, &which, &options, &error), KAI_ERR_USAGE);
    source.text = chain;
    options.path = "x.ssp";
    options.version = 3;
    assert_int_equal(kaiSsp_Export(&source, &which, &options, &error), KAI_ERR_USAGE);
    assert_non_null(strstr(error.message, "SSP 1.0 has FMUs of version 2"));
    options = kaiDefaultFmuOptions();
    options.path = "/nowhere/at/all/x.ssp";
    assert_int_equal(export_text(chain, options, kaiDefaultAllocator(), NULL, &error), KAI_ERR_IO);
    assert_non_null(strstr(error.message, "/nowhere/at/all/x.ssp cannot be written: No such file"));
    path_of(g, "x.ssp", path);
    options.path = path;
    assert_int_equal(export_text(chain, options, kaiDefaultAllocator(), NULL, &error), KAI_OK);
    assert_int_equal(kaiSsp_Read(path, NULL, kaiDefaultAllocator(), &error), KAI_OK);
    options.path = g->folder;  // a folder is no file
    assert_int_equal(export_text(chain, options, kaiDefaultAllocator(), NULL, &error), KAI_ERR_IO);
    assert_non_null(strstr(error.message, "it is no file"));
    path_of(g, "pipe.ssp", path);
    assert_int_equal(mkfifo(path, 0600), 0);
    options.path = path;  // which would be replaced by one
    assert_int_equal(export_text(chain, options, kaiDefaultAllocator(), NULL, &error), KAI_ERR_IO);
    assert_int_equal(unlink(path), 0);
    options.sink = (kaiSink){full, NULL};
    assert_int_equal(export_text(chain, options, kaiDefaultAllocator(), NULL, &error), KAI_ERR_IO);
}

// What cannot start is no system: the reason of its run.
static void a_system_must_start(void** state)
{
    (void)state;
    Bytes made = {NULL, 0, 0};
    kaiError error = {0};
    static const char text[] =
        "model A { param p = -1; state x = sqrt(p); x' = 1; assert p > 0 \"p is not above 0\" }\n"
        "model M { a : A }\nexperiment e of M { stop = 1; solver = cvode_bdf }\n";
    assert_int_equal(export_text(text, kaiDefaultFmuOptions(), kaiDefaultAllocator(), &made, &error), KAI_ERR_USAGE);
    assert_non_null(error.message);
    assert_null(made.at);
}

static void writing_without_memory(void** state)
{
    (void)state;
    Heap all = {.fail_at = -1};
    Bytes made = {NULL, 0, 0};
    kaiError error;
    static const char text[] = "model A { output y = time }\nmodel B { input u; state x = 0; x' = u }\n"
                               "model M { a : A; b : B; b.u = a.y }\nexperiment e of M { stop = 1 }\n";
    assert_int_equal(export_text(text, kaiDefaultFmuOptions(), (kaiAllocator){heap_alloc, &all}, &made, &error),
                     KAI_OK);
    assert_int_equal(all.live, 0);
    for (long n = 0; n < all.calls; n += 1 + all.calls / 40)
    {
        Heap heap = {.fail_at = n};
        made.size = 0;
        kaiStatus status = export_text(text, kaiDefaultFmuOptions(), (kaiAllocator){heap_alloc, &heap}, &made, &error);
        if (heap.live != 0 || status == KAI_OK)
            fail_msg("call %ld of %ld: status %d, %ld bytes", n, all.calls, status, heap.live);
    }
    free(made.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_system_is_a_model, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(a_broken_system_is_told, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(what_a_description_may_have, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(connectors_have_units, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(other_members_are_looked_at, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(a_part_in_another_file, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(without_direction, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(reading_without_memory, guests_make, guests_remove),
        cmocka_unit_test(a_model_is_a_system),
        cmocka_unit_test(what_is_no_system_is_refused),
        cmocka_unit_test_setup_teardown(options_and_places_are_looked_at, guests_make, guests_remove),
        cmocka_unit_test(a_system_must_start),
        cmocka_unit_test(writing_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
