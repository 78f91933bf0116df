/* quire/version.h - the release, and the version of the interface.
 *
 * The release follows semantic versioning. The API version is a number of its own: it moves only when a program that
 * was linked against the old library could break, and it names the shared library (libquire.so.API).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_VERSION_H
#define QUIRE_VERSION_H

#define QUIRE_VERSION_MAJOR 0
#define QUIRE_VERSION_MINOR 1
#define QUIRE_VERSION_PATCH 0
#define QUIRE_VERSION_STRING "0.1.0"

#define QUIRE_API_VERSION 0

#endif
