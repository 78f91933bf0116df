/* json_many.c - the report of --many as one object.
 *
 * SPDX-License-Identifier: MIT
 */
#include <jansson.h>

#include "json_parts.h"
#include "many.h"

static json_t *count(uint64_t value) { return json_integer((json_int_t)value); }

static void add(json_t *to, const char *a, const char *x, const char *b, const char *y, const char *c, const char *z,
                uint64_t results) {
    json_t *one = json_object();
    json_object_set_new(one, a, json_string(x));
    if (b) json_object_set_new(one, b, json_string(y));
    if (c) json_object_set_new(one, c, json_string(z));
    json_object_set_new(one, "results", count(results));
    json_array_append_new(to, one);
}

static json_t *operations(const many_tally *t) {
    json_t *all = json_array();
    for (int m = 0; m < METHOD_COUNT; m++)
        for (int type = 0; type < TYPE_COUNT; type++)
            for (int op = 0; op < OPERATION_ALL; op++) {
                uint64_t sum = 0;
                for (int f = 0; f < FAMILY_COUNT; f++)
                    for (int i = 0; i < LENGTH_CLASSES; i++) sum += t->cells[m][type][op][f][i];
                if (sum)
                    add(all, "method", method_name(METHODS[m]), "type", type_name(TYPES[type]), "operation",
                        operation_name((operation)op), sum);
            }
    return all;
}

static json_t *families(const many_tally *t) {
    json_t *all = json_array();
    for (int f = 0; f < FAMILY_COUNT; f++)
        for (int i = 0; i < LENGTH_CLASSES; i++)
            if (many_of_family(t, f, i))
                add(all, "family", family_name((family)f), "n", length_class_name(i), NULL, NULL,
                    many_of_family(t, f, i));
    return all;
}

static json_t *roundings(const many_tally *t) {
    json_t *all = json_array();
    for (int r = 0; r < TYPE_COUNT; r++)
        for (int k = 0; k < ROUNDING_COUNT; k++)
            if (t->rounded[r][k])
                add(all, "result_type", type_name(TYPES[r]), "rounding", rounding_name((quire_rounding)k), NULL, NULL,
                    t->rounded[r][k]);
    return all;
}

static json_t *arrangements(const many_tally *t) {
    json_t *all = json_array();
    for (int i = 0; i < ARRANGEMENTS; i++)
        add(all, "vectors", arrangement_name((arrangement)i), NULL, NULL, NULL, NULL, t->arranged[i]);
    add(all, "vectors", "backwards", NULL, NULL, NULL, NULL, t->backwards); /* counted above, too */
    return all;
}

static json_t *all_ways(const many_tally *t) {
    json_t *all = json_array();
    for (int i = 0; i < ARENA_WAYS; i++)
        if (t->ways[i]) {
            add(all, "way", arena_way_name(i), NULL, NULL, NULL, NULL, t->ways[i]);
            json_object_set_new(json_array_get(all, json_array_size(all) - 1), "wrong", count(t->wrong_ways[i]));
        }
    return all;
}

static json_t *failures(const many_tally *t) {
    json_t *all = json_array();
    for (int i = 0; i < t->failure_count; i++) json_array_append_new(all, json_string(t->failures[i].text));
    return all;
}

bool json_write_many(const many_report *r) {
    const many_tally *t = r->tally;
    json_t *root = json_object();
    json_object_set_new(root, "verdict", json_string(many_passed(t) ? "pass" : "fail"));
    json_facts(root, r->head, r->options->seed, t->seconds);
    json_object_set_new(root, "threads", json_integer(t->threads));
    json_object_set_new(root, "batches", count(t->batches));
    json_object_set_new(root, "vectors", count(t->vectors));
    json_object_set_new(root, "calls", count(t->calls));
    json_object_set_new(root, "results", count(t->results));
    json_object_set_new(root, "wrong", count(t->wrong));
    json_object_set_new(root, "bad_statuses", count(t->bad_statuses));
    json_object_set_new(root, "oracles_compared", count(t->sampled));
    json_object_set_new(root, "oracles_different", count(t->sampled_wrong));
    json_object_set_new(root, "operations", operations(t));
    json_object_set_new(root, "families", families(t));
    json_object_set_new(root, "roundings", roundings(t));
    json_object_set_new(root, "arrangements", arrangements(t));
    json_object_set_new(root, "bits", all_ways(t));
    json_object_set_new(root, "failures", failures(t));
    return json_finish(root);
}
