// Archives and XML of FMUs (src/fmi): what is written can be read, what deflate packed comes out again (streams made by
// zlib), and whatever a stranger's archive or description has wrong is one sentence, never more than the bytes say.
#include "fmi/inflate.h"
#include "fmi_fixture.h"

static jmp_buf no_memory;

// ---- deflate

static const uint8_t fixed[] = {0x2b, 0xc9, 0x48, 0x55, 0x28, 0x2c, 0xcd, 0x4c, 0xce, 0x56, 0x48, 0x2a, 0xca,
                                0x2f, 0xcf, 0x53, 0x48, 0xcb, 0xaf, 0x50, 0xc8, 0x2a, 0xcd, 0x2d, 0x28, 0x56,
                                0xc8, 0x2f, 0x4b, 0x2d, 0x52, 0x28, 0x01, 0x4a, 0xe7, 0x24, 0x56, 0x55, 0x2a,
                                0xa4, 0xe4, 0xa7, 0x5b, 0x83, 0x79, 0xb4, 0x51, 0x0c, 0x00};
static const uint8_t dynamic[] = {
    0x5d, 0xd3, 0x3b, 0x6e, 0xc4, 0x30, 0x0c, 0x45, 0xd1, 0x9e, 0xab, 0xf0, 0x12, 0xc4, 0x8f, 0x28, 0x6b, 0x39, 0x01,
    0x92, 0x22, 0x65, 0x32, 0xc8, 0xfe, 0xf3, 0xdc, 0xe9, 0x4e, 0x49, 0x43, 0x20, 0x8f, 0xa8, 0xe7, 0x71, 0xbd, 0x7e,
    0xfe, 0x3e, 0x7e, 0xbf, 0x3e, 0xaf, 0xef, 0xd7, 0x35, 0xcc, 0xcf, 0xd2, 0x2d, 0xce, 0xb2, 0x2c, 0xcf, 0x72, 0x5b,
    0xe1, 0x70, 0xdb, 0x3c, 0xeb, 0x98, 0xd6, 0x67, 0x9d, 0x6d, 0x0b, 0xdd, 0xb6, 0xdd, 0x67, 0xdd, 0x65, 0xfb, 0xac,
    0x6f, 0x37, 0x1f, 0x18, 0x30, 0xc4, 0xa3, 0x2f, 0x74, 0x06, 0x44, 0xaf, 0x32, 0x4f, 0xb2, 0xb6, 0x39, 0xa1, 0xbb,
    0xcd, 0x49, 0x95, 0xd5, 0x9b, 0x78, 0x9d, 0x01, 0x37, 0x6e, 0xf5, 0x01, 0x38, 0x43, 0xb3, 0x36, 0xaf, 0xa8, 0x8d,
    0xc1, 0x5c, 0x32, 0x07, 0xcc, 0x55, 0x3a, 0xc3, 0xb5, 0xde, 0x65, 0x01, 0xf3, 0x8c, 0x6d, 0x01, 0xf3, 0x5c, 0x6d,
    0x01, 0x73, 0xcb, 0x1c, 0x30, 0xf7, 0x73, 0x06, 0xe6, 0xf5, 0xf4, 0x81, 0x79, 0x3d, 0xb3, 0xb8, 0x66, 0x79, 0x12,
    0xe6, 0x2d, 0x73, 0xc2, 0xbc, 0x75, 0xaf, 0xe4, 0x9e, 0x87, 0x2e, 0x9f, 0x5c, 0xf4, 0xd0, 0x86, 0x92, 0x9b, 0x76,
    0xad, 0x31, 0x27, 0x9f, 0x4c, 0xee, 0x6c, 0x7e, 0xd2, 0x83, 0x24, 0xe0, 0x9e, 0x7a, 0xb5, 0xbc, 0xdf, 0x5e, 0x56,
    0x13, 0x41, 0xf7, 0xa9, 0xf7, 0x2f, 0x66, 0xa4, 0x85, 0x2f, 0x86, 0xa4, 0x95, 0xa4, 0xa2, 0x7e, 0x29, 0x6c, 0x45,
    0xfd, 0xad, 0x3c, 0xd6, 0x5b, 0x4e, 0x14, 0xd9, 0x62, 0x50, 0x86, 0xf4, 0xc5, 0xa4, 0xb8, 0x82, 0x5f, 0x8c, 0x4a,
    0x0c, 0xf5, 0x82, 0x3e, 0x72, 0x68, 0x22, 0xf4, 0x51, 0xc3, 0x6d, 0x0e, 0xa6, 0x4e, 0xfa, 0x09, 0x7d, 0xf4, 0x73,
    0x0a, 0xfa, 0x58, 0xea, 0x35, 0x93, 0xe1, 0xd4, 0xc4, 0x09, 0x7d, 0xec, 0xe7, 0x87, 0x84, 0x3e, 0x1f, 0xfd, 0xe4,
    0x4f, 0xa9, 0x4d, 0xdb, 0x5c, 0x6f, 0xb1, 0x56, 0x2f, 0x26, 0x3d, 0xb5, 0xaf, 0xc9, 0xa8, 0x97, 0xb6, 0xfa, 0x0f};

static const char fox[] = "the quick brown fox jumps over the lazy dog; ";

static void test_fixed_codes(void** state)
{
    (void)state;
    uint8_t to[200];
    size_t length = 3 * (sizeof fox - 1);
    assert_true(inflate_bytes(fixed, sizeof fixed, to, length));
    for (size_t i = 0; i < length; i++)
        assert_int_equal(to[i], fox[i % (sizeof fox - 1)]);
    assert_false(inflate_bytes(fixed, sizeof fixed, to, length - 1));
    assert_false(inflate_bytes(fixed, sizeof fixed, to, length + 1));
    for (size_t cut = 0; cut < sizeof fixed - 1; cut++)
        assert_false(inflate_bytes(fixed, cut, to, length));
}

static void test_dynamic_codes(void** state)
{
    (void)state;
    char want[2000];
    uint8_t to[2000];
    size_t length = 0;
    for (int i = 0; i < 60; i++)
        length += (size_t)sprintf(want + length, "%d squared is %d\n", i, i * i);
    assert_true(inflate_bytes(dynamic, sizeof dynamic, to, length));
    assert_memory_equal(to, want, length);
    for (size_t cut = 0; cut < sizeof dynamic - 1; cut++)
        assert_false(inflate_bytes(dynamic, cut, to, length));
    // One wrong bit anywhere: never beyond the room (the sanitizers watch), and mostly refused.
    int refused = 0;
    for (size_t bit = 0; bit < 8 * sizeof dynamic; bit++)
    {
        uint8_t wrong[sizeof dynamic];
        memcpy(wrong, dynamic, sizeof wrong);
        wrong[bit / 8] ^= (uint8_t)(1 << bit % 8);
        refused += !inflate_bytes(wrong, sizeof wrong, to, length) || memcmp(to, want, length) != 0;
    }
    assert_true(refused >= (int)(8 * sizeof dynamic) - 8);
}

static void test_stored_block(void** state)
{
    (void)state;
    uint8_t from[] = {1, 5, 0, 0xfa, 0xff, 'h', 'e', 'l', 'l', 'o'}, to[6];
    assert_true(inflate_bytes(from, sizeof from, to, 5));
    assert_memory_equal(to, "hello", 5);
    assert_false(inflate_bytes(from, sizeof from - 1, to, 5));
    assert_false(inflate_bytes(from, 3, to, 5));
    assert_false(inflate_bytes(from, sizeof from, to, 4));
    from[3] = 0;
    assert_false(inflate_bytes(from, sizeof from, to, 5));
    assert_false(inflate_bytes((const uint8_t*)"\7", 1, to, 0));  // a kind of block that there is not
    assert_false(inflate_bytes((const uint8_t*)"\5\377\377\377", 4, to, 5));
}

// ---- archives

static Bytes two_files(Arena* arena)
{
    Bytes made = {NULL, 0, 0};
    kaiSink sink = {bytes_write, &made};
    ZipWriter zip = {.arena = arena, .sink = &sink};
    zip_add(&zip, "a.txt", "first", 5);
    zip_add(&zip, "folder/b", "second!", 7);
    zip_add(&zip, "folder/", "", 0);
    assert_int_equal(zip_finish(&zip), KAI_OK);
    return made;
}

static void test_round_trip(void** state)
{
    (void)state;
    Arena arena;
    Archive archive;
    arena_init(&arena, kaiDefaultAllocator(), &no_memory);
    Bytes made = two_files(&arena);
    assert_true(archive_open(&archive, &arena, made.at, made.size));
    assert_int_equal(archive.entries.count, 3);
    assert_string_equal(archive_read(&archive, archive_find(&archive, "a.txt")), "first");
    assert_string_equal(archive_read(&archive, archive_find(&archive, "folder/b")), "second!");
    assert_true(archive_find(&archive, "folder/")->folder);
    assert_null(archive_find(&archive, "c"));
    assert_int_equal(zip_crc("123456789", 9), 0xcbf43926);  // the check value of the polynomial
    free(made.at);
    arena_free(&arena);
}

static size_t find(const Bytes* b, uint32_t mark, int nth)
{
    for (size_t at = 0; at + 4 <= b->size; at++)
        if (memcmp(b->at + at, &mark, 4) == 0 && nth-- == 0)
            return at;
    fail();
    return 0;
}

enum
{
    LOCAL = 0x04034b50,
    CENTRAL = 0x02014b50,
    END = 0x06054b50
};

typedef struct Damage
{
    uint32_t mark;  // of the record that is changed
    int nth, offset, value, bytes;
    const char* says;
} Damage;

static void test_damage(void** state)
{
    (void)state;
    static const Damage damages[] = {
        {CENTRAL, 0, 46, '/', 1, "written outside its folder: `/.txt`"},
        {CENTRAL, 0, 47, '\\', 1, "written outside its folder"},
        {CENTRAL, 0, 47, ':', 1, "written outside its folder"},
        {CENTRAL, 0, 46, 0x2f2e2e, 3, "written outside its folder"},
        {CENTRAL, 0, 46, 0, 1, "a file name with a zero in it"},
        {CENTRAL, 0, 40, 0120777, 2, "the archive has a symbolic link: `a.txt`"},
        {CENTRAL, 0, 8, 1, 1, "`a.txt` is encrypted"},
        {CENTRAL, 0, 10, 12, 2, "`a.txt` is packed by method 12"},
        {CENTRAL, 0, 24, 6, 4, "`a.txt` is stored, but its sizes differ"},
        {CENTRAL, 0, 24, -1, 4, "the form for archives above 4 GB"},
        {CENTRAL, 0, 42, 9, 1, "`a.txt` is not where its directory says"},
        {CENTRAL, 0, 28, 4000, 2, "its directory is cut off"},
        {CENTRAL, 1, 0, 0, 4, "its directory ends after 1 of 3 files"},
        {LOCAL, 0, 28, 30000, 2, "the archive is cut off in `a.txt`"},
        {LOCAL, 0, 30, 'b', 1, "`a.txt` has another name where it begins"},
        {END, 0, 16, 30000, 4, "its directory is not where its end says"},
        {END, 0, 4, 1, 2, "the archive is one of several parts"},
        {END, 0, 0, 0, 4, "this is no zip archive, or it is cut off"},
    };
    Arena arena;
    Archive archive;
    arena_init(&arena, kaiDefaultAllocator(), &no_memory);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++)
    {
        const Damage* d = &damages[i];
        Bytes made = two_files(&arena);
        memcpy(made.at + find(&made, d->mark, d->nth) + d->offset, &d->value, (size_t)d->bytes);
        assert_false(archive_open(&archive, &arena, made.at, made.size));
        if (strstr(archive.why, d->says) == NULL)
            print_message("%zu: %s instead of %s\n", i, archive.why, d->says);
        assert_non_null(strstr(archive.why, d->says));
        free(made.at);
    }
    arena_free(&arena);
}

// What unpacks to more than can be meant, one file twice, and bytes that are not those of the checksum.
static void test_lies(void** state)
{
    (void)state;
    Arena arena;
    Archive archive;
    arena_init(&arena, kaiDefaultAllocator(), &no_memory);
    Bytes made = two_files(&arena);
    size_t entry = find(&made, CENTRAL, 0);
    made.at[entry + 10] = 8;
    memcpy(made.at + entry + 24, "\0\0\0\x20", 4);
    assert_false(archive_open(&archive, &arena, made.at, made.size));
    assert_non_null(strstr(archive.why, "would unpack to 536870912 bytes from 5: that is no FMU"));
    memcpy(made.at + entry + 24, "\5\0\0\0", 4);
    assert_true(archive_open(&archive, &arena, made.at, made.size));  // "first" is no deflated text
    assert_null(archive_read(&archive, archive_find(&archive, "a.txt")));
    assert_non_null(strstr(archive.why, "do not unpack to what its checksum says"));
    free(made.at);

    made = (Bytes){NULL, 0, 0};
    kaiSink sink = {bytes_write, &made};
    ZipWriter zip = {.arena = &arena, .sink = &sink};
    zip_add(&zip, "x", "1", 1);
    zip_add(&zip, "x", "2", 1);
    assert_int_equal(zip_finish(&zip), KAI_OK);
    assert_false(archive_open(&archive, &arena, made.at, made.size));
    assert_string_equal(archive.why, "the archive has `x` twice");
    free(made.at);
    ZipWriter large = {.arena = &arena, .sink = &sink, .written = 0xfff00000u};
    zip_add(&large, "x", "1", 1);
    assert_int_equal(zip_finish(&large), KAI_ERR_LIMIT);
    arena_free(&arena);
}

// ---- XML

static void test_xml(void** state)
{
    (void)state;
    static const char text[] =
        "\xef\xbb\xbf<?xml version='1.0'?>\n<!-- a <comment> -->\n<a x = '1' y=\"&lt;&gt;&amp;&quot;&apos;\">\n"
        "  <b z='&#65;&#xe9;&#x20ac;&#x1f600;'/> text <![CDATA[ <c> ]]>\n  <b/></a>\n";
    Arena arena;
    char why[100];
    int line = 0;
    arena_init(&arena, kaiDefaultAllocator(), &no_memory);
    XmlElement* a = xml_parse(&arena, text, sizeof text - 1, why, sizeof why, &line);
    assert_non_null(a);
    assert_string_equal(xml_value(a, "x"), "1");
    assert_string_equal(xml_value(a, "y"), "<>&\"'");
    assert_null(xml_value(a, "z"));
    assert_string_equal(xml_value(xml_child(a, "b"), "z"), "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    assert_int_equal(xml_child(a, "b")->line, 4);
    assert_int_equal(xml_child(a, "b")->next->line, 5);
    assert_null(xml_child(xml_child(a, "b"), "c"));
    arena_free(&arena);
}

static void test_wrong_xml(void** state)
{
    (void)state;
    static const struct
    {
        const char *text, *says;
        int line;
    } wrong[] = {
        {"", "there is no element", 1},
        {"\n text", "text outside of all elements", 2},
        {"<a>\n<b>\n</a>", "an element ends that is not the one that began last", 3},
        {"<a>", "it ends before its elements do", 1},
        {"<a/><b/>", "there is more than one element at the top", 1},
        {"<a", "an element does not end", 1},
        {"<a /b>", "an element does not end", 1},
        {"<a></a", "the end of an element does not end", 1},
        {"<>", "a name is missing", 1},
        {"<a x>", "an attribute without a value", 1},
        {"<a x=1>", "the value of an attribute must stand in quotes", 1},
        {"<a x=", "the value of an attribute must stand in quotes", 1},
        {"<a x='1>", "the value of an attribute does not end", 1},
        {"<a x='<'/>", "a `<` in the value of an attribute", 1},
        {"<a x='1' x='2'/>", "an attribute stands twice", 1},
        {"<a x='&ball;'/>", "an entity that XML does not know by itself", 1},
        {"<a x='&#0;'/>", "a character reference that is none", 1},
        {"<a x='&#x110000;'/>", "a character reference that is none", 1},
        {"<a x='&#65'/>", "a character reference that is none", 1},
        {"<!-- <a/>", "a comment does not end", 1},
        {"<? <a/>", "an instruction does not end", 1},
        {"<a><![CDATA[</a>", "a piece of text does not end", 1},
        {"<!DOCTYPE a><a/>", "a document type, which descriptions have none of and which is not read", 1},
    };
    Arena arena;
    arena_init(&arena, kaiDefaultAllocator(), &no_memory);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    {
        char why[100] = "";
        int line = 0;
        assert_null(xml_parse(&arena, wrong[i].text, strlen(wrong[i].text), why, sizeof why, &line));
        assert_string_equal(why, wrong[i].says);
        if (i < 3)
            assert_int_equal(line, wrong[i].line);
    }
    char deep[1000] = "", why[100];
    int line;
    for (int i = 0; i < 101; i++)
        strcat(deep, "<a>");
    assert_null(xml_parse(&arena, deep, strlen(deep), why, sizeof why, &line));
    assert_string_equal(why, "elements are nested too deeply");
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_codes), cmocka_unit_test(test_dynamic_codes), cmocka_unit_test(test_stored_block),
        cmocka_unit_test(test_round_trip),  cmocka_unit_test(test_damage),        cmocka_unit_test(test_lies),
        cmocka_unit_test(test_xml),         cmocka_unit_test(test_wrong_xml),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
