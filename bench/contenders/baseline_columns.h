/* baseline_columns.h - columns side by side, for one type; included where baseline_loops.h is, with the same names.
 *
 * A row at a time is added to as many running sums as the first-level cache holds, which compilers vectorise.
 *
 * SPDX-License-Identifier: MIT
 */
static void LOOP(add_row)(enum operation operation, const ELEMENT *x, const ELEMENT *y, size_t columns,
                          REAL *restrict s) {
    switch (operation) {
    case OPERATION_ASUM:
        for (size_t i = 0; i < columns; i++) s[i] += VALUE(x[i]) < 0 ? -VALUE(x[i]) : VALUE(x[i]);
        break;
    case OPERATION_DOT:
        for (size_t i = 0; i < columns; i++) s[i] += VALUE(x[i]) * VALUE(y[i]);
        break;
    case OPERATION_NRM2:
    case OPERATION_SUMSQ:
        for (size_t i = 0; i < columns; i++) s[i] += VALUE(x[i]) * VALUE(x[i]);
        break;
    default:
        for (size_t i = 0; i < columns; i++) s[i] += VALUE(x[i]);
        break;
    }
}

static void LOOP(two_pass_columns)(const ELEMENT *x, const job *j, size_t columns, REAL *restrict s) {
    REAL squares[COLUMNS_AT_ONCE];
    for (size_t k = 0; k < j->length; k++) LOOP(add_row)(OPERATION_SUM, x + k * j->vectors, NULL, columns, s);
    for (size_t i = 0; i < columns; i++) s[i] /= (REAL)j->length, squares[i] = 0;
    for (size_t k = 0; k < j->length; k++)
        for (size_t i = 0; i < columns; i++) {
            const REAL deviation = VALUE(x[k * j->vectors + i]) - s[i];
            squares[i] += deviation * deviation;
        }
    for (size_t i = 0; i < columns; i++) s[i] = squares[i] / (REAL)j->length;
}

static void LOOP(textbook_columns)(const ELEMENT *x, const job *j, size_t columns, REAL *restrict s) {
    REAL squares[COLUMNS_AT_ONCE];
    for (size_t i = 0; i < columns; i++) squares[i] = 0;
    for (size_t k = 0; k < j->length; k++)
        for (size_t i = 0; i < columns; i++) {
            const REAL value = VALUE(x[k * j->vectors + i]);
            s[i] += value;
            squares[i] += value * value;
        }
    for (size_t i = 0; i < columns; i++) s[i] = (squares[i] - s[i] * s[i] / (REAL)j->length) / (REAL)j->length;
}

static REAL LOOP(last)(const job *j, REAL s) {
    if (j->operation == OPERATION_NRM2 || j->operation == OPERATION_STDDEV) return (REAL)sqrt((double)s);
    return j->operation == OPERATION_MEAN ? s / (REAL)j->length : s;
}

static void LOOP(columns)(const job *j, formula how) {
    const ELEMENT *x = j->x, *y = j->y;
    for (size_t first = 0; first < j->vectors; first += COLUMNS_AT_ONCE) {
        const size_t columns = j->vectors - first < COLUMNS_AT_ONCE ? j->vectors - first : COLUMNS_AT_ONCE;
        REAL *s = (REAL *)j->results + first;
        for (size_t i = 0; i < columns; i++) s[i] = 0;
        if (is_moment(j) && how == TWO_PASS)
            LOOP(two_pass_columns)(x + first, j, columns, s);
        else if (is_moment(j))
            LOOP(textbook_columns)(x + first, j, columns, s);
        else
            for (size_t k = 0; k < j->length; k++) {
                const size_t at = k * j->vectors + first;
                LOOP(add_row)(j->operation, x + at, y ? y + at : y, columns, s);
            }
        for (size_t i = 0; i < columns; i++) s[i] = LOOP(last)(j, s[i]);
    }
}
