/* match.c - whether the elements of two arrays pair up.
 *
 * SPDX-License-Identifier: MIT
 */
#include "complain.h"
#include "input.h"
#include "names.h"

int input_match(const char *verb, struct input *x, struct input *y) {
    bool x_fortran = npy_truly_fortran(&x->header), y_fortran = npy_truly_fortran(&y->header);
    if (x->type != y->type) input_as_doubles(x), input_as_doubles(y);
    if (x->type != y->type)
        complain("%s needs one type: %s holds %s, %s holds %s", verb, x->name, type_name(x->type), y->name,
                 type_name(y->type));
    else if (x->counted && y->counted && x->n != y->n)
        complain("%s needs equal lengths: %s has %zu elements, %s has %zu", verb, x->name, x->n, y->name, y->n);
    else if (x_fortran != y_fortran && x->n)
        complain("%s needs one order: %s is in %s order, %s in %s order", verb, x->name, x_fortran ? "Fortran" : "C",
                 y->name, y_fortran ? "Fortran" : "C");
    else if (x_fortran && x->n && !npy_same_shape(&x->header, &y->header))
        complain("%s needs equal shapes where the order is Fortran's: %s and %s differ", verb, x->name, y->name);
    else
        return EXIT_FINE;
    return EXIT_TROUBLE;
}
