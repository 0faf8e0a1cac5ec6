# Cairo (PNG and PDF), the Graphviz library (layout of diagrams) and Z3 (proofs), all found through pkg-config.
find_package(PkgConfig REQUIRED)
set(kairos_packages cairo libgvc libcgraph z3)
pkg_check_modules(KAIROS_PACKAGES REQUIRED IMPORTED_TARGET ${kairos_packages})

# The layout code of Graphviz is a plugin in a folder of its own. It is linked like any library (src/diagram/layout.c says why).
find_library(KAIROS_GRAPHVIZ_DOT gvplugin_dot_layout PATH_SUFFIXES graphviz REQUIRED)
get_filename_component(KAIROS_GRAPHVIZ_DIR "${KAIROS_GRAPHVIZ_DOT}" DIRECTORY)
