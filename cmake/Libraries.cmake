# Cairo (PNG and PDF), the Graphviz library (layout of diagrams) and Z3 (proofs), all found through pkg-config.
find_package(PkgConfig REQUIRED)
set(kairos_packages cairo libgvc libcgraph z3)
pkg_check_modules(KAIROS_PACKAGES REQUIRED IMPORTED_TARGET ${kairos_packages})
