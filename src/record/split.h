/*
 * The json-split format of LLNL's Caliper, as its documentation has it and as Hatchet and
 * Thicket read it. One object:
 *
 *     {"data": [[cell, ...], ...],          a row for each record, null where nothing is
 *      "columns": ["name", ...],            of the cells
 *      "column_metadata": [{"is_value": true, ...}, ...],   one for each column
 *      "nodes": [{"label": "main", "column": "path", "parent": 0}, ...],
 *      "global": "value", ...}              run metadata
 *
 * Where "is_value" is false, the cells are numbers of nodes, from 0 on: the row has the
 * path that ends there. Parents come before their children; a root has none. The column
 * "path" is that of all nested attributes together: here they become the attribute
 * `region`. Another column with nodes is an attribute of the context tree. What else
 * stands in column_metadata says something of the attribute.
 *
 * The type of a column is what attribute.type says in its metadata, which trammel writes
 * where numbers do not tell it; else that of its cells.
 */
#ifndef TRAMMEL_RECORD_SPLIT_H
#define TRAMMEL_RECORD_SPLIT_H

#include "record/record.h"

struct trm_source;

#endif
