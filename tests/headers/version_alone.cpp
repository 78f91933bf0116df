/* version.h with nothing before it, as C++; its numbers must be usable by the preprocessor. */
#include <quire/version.h>

#if QUIRE_VERSION_MAJOR < 0 || QUIRE_VERSION_MINOR < 0 || QUIRE_VERSION_PATCH < 0 || QUIRE_API_VERSION < 0
#error "version numbers are not negative"
#endif

extern const char header_version_string[];

const char header_version_string[] = QUIRE_VERSION_STRING;
