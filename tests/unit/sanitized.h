/*
 * Whether a test is built with sanitizers, which make it some times slower: what is done
 * over and over, with numbers made by chance, is done less often then.
 */
#ifndef TRAMMEL_TESTS_SANITIZED_H
#define TRAMMEL_TESTS_SANITIZED_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TESTS_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TESTS_SANITIZED 1
#endif

#ifdef TESTS_SANITIZED
#define TIMES(often, sanitized) (sanitized)
#else
#define TIMES(often, sanitized) (often)
#endif

#endif
