/* decimal.c - one number written in decimal.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decimal.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LONGEST 1024                         /* as TEXT_FIELD */
#define MISSING UINT64_C(0x7ff80000000007a2) /* a quiet NaN with a payload that no arithmetic makes: that of R's NA */

static bool is_blank(char c) { return c && strchr(" \t\r\n\v\f", c); }

static double missing_value(void) {
    const uint64_t bits = MISSING;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

bool decimal_is_missing(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits == MISSING;
}

/* Blanks, and nothing behind them. */
static bool is_end(const char *text) {
    while (is_blank(*text)) text++;
    return !*text;
}

static bool is_missing(const char *field) {
    if (!strncmp(field, "N/A", 3)) return is_end(field + 3);
    if (!strncmp(field, "NA", 2)) return is_end(field + 2);
    return !*field;
}

/* strtod knows the point alone: a decimal comma is replaced. NULL: the field has a point where there may be none. */
static const char *with_point(const char *field, char point, char room[LONGEST]) {
    if (point == '.') return field;
    if (strchr(field, '.') || strlen(field) >= LONGEST) return NULL;
    strcpy(room, field);
    char *comma = strchr(room, point);
    if (comma) *comma = '.';
    return room;
}

enum decimal decimal_read(const char *field, char point, double *value) {
    char room[LONGEST], *end;
    while (is_blank(*field)) field++;
    if (is_missing(field)) {
        *value = missing_value();
        return DECIMAL_MISSING;
    }
    const char *number = with_point(field, point, room);
    if (!number) return DECIMAL_NONE;
    *value = strtod(number, &end);
    if (end == number || !is_end(end)) return DECIMAL_NONE;
    const char *digits = number + (*number == '-' || *number == '+');
    return isinf(*value) && *digits != 'i' && *digits != 'I' ? DECIMAL_BEYOND : DECIMAL_NUMBER;
}

const char *decimal_hint(const char *field, char point) {
    const char *digits = field + (*field == '-' || *field == '+');
    const size_t length = strspn(digits, "0123456789.,");
    if (!strcasecmp(field, "true") || !strcasecmp(field, "false")) return " (nor is it taken for 1 or 0)";
    if (point == ',' && strchr(field, '.')) return ": with --decimal , a point is no part of a number";
    if (length && !digits[length] && strchr(digits, ','))
        return ": --decimal , takes a comma for the decimal point; thousands are written without commas";
    if (length && (digits[length] == '_' || digits[length] == '\''))
        return ": thousands are written without separators";
    if (!strncmp(field, "\xe2\x88\x92", 3)) return ": its minus is not the one of ASCII, -";
    return "";
}
