// The files of the page as the assembler takes them in: studio/dist if it is there, which `npm run build` makes of
// studio/src, and a plain page otherwise (cmake/Page.cmake).
#include "cli/page.h"

#define EMBED(name, path)                                                                                              \
    __asm__(".section .rodata\n"                                                                                       \
            ".global page_" #name "\n"                                                                                 \
            ".global page_" #name "_end\n"                                                                             \
            "page_" #name ":\n"                                                                                        \
            ".incbin \"" path "\"\n"                                                                                   \
            "page_" #name "_end:\n"                                                                                    \
            ".byte 0\n"                                                                                                \
            ".previous\n");                                                                                            \
    extern const char page_##name[], page_##name##_end[]

EMBED(html, KAIROS_PAGE "/index.html");
EMBED(css, KAIROS_PAGE "/studio.css");
EMBED(js, KAIROS_PAGE "/studio.js");
EMBED(licences, KAIROS_PAGE "/licences.txt");

enum
{
    FILE_COUNT = 4
};

const kaiStudioFile* page_files(int* count)
{
    static kaiStudioFile files[FILE_COUNT];
    files[0] = (kaiStudioFile){"", "text/html; charset=utf-8", page_html, (size_t)(page_html_end - page_html)};
    files[1] = (kaiStudioFile){"studio.css", "text/css; charset=utf-8", page_css, (size_t)(page_css_end - page_css)};
    files[2] = (kaiStudioFile){"studio.js", "text/javascript; charset=utf-8", page_js, (size_t)(page_js_end - page_js)};
    files[3] = (kaiStudioFile){"licences.txt", "text/plain; charset=utf-8", page_licences,
                               (size_t)(page_licences_end - page_licences)};
    *count = FILE_COUNT;
    return files;
}
