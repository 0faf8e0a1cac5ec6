// KAI_CHECKED: this build looks at whole structures (validators that cost as much as the work they check): builds
// without optimisation and those under a sanitizer. Plain assertions are cheap and stay on everywhere.
#ifndef KAIROS_BASE_CHECKED_H
#define KAIROS_BASE_CHECKED_H

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define KAI_SANITIZED 1
#endif
#endif

#if !defined __OPTIMIZE__ || defined __SANITIZE_ADDRESS__ || defined KAI_SANITIZED
#define KAI_CHECKED 1
#endif

#endif
