/** A statement of a module to be taken out or replaced as the module is loaded. */
export type Rewrite = { module: string; from: string; to: string };

/** The query builder asks for the class of everything along the whole chain of prototypes, each time. */
const IS: Rewrite = {
  module: 'node_modules/drizzle-orm/entity.js',
  from: 'function is(value, type) {',
  to: `const known = new WeakMap();
function is(value, type) {
  if (!value || typeof value !== "object") return false;
  const prototype = Object.getPrototypeOf(value);
  let answers = known.get(prototype);
  if (answers === undefined) known.set(prototype, answers = new Map());
  let answer = answers.get(type);
  if (answer === undefined) answers.set(type, answer = isAlongTheChain(value, type));
  return answer;
}
function isAlongTheChain(value, type) {`,
};

/** It also puts the names of a table's forty columns together anew for every query. */
const SELECTION: Rewrite = {
  module: 'node_modules/drizzle-orm/sqlite-core/dialect.js',
  from: '  buildSelection(fields, { isSingleTable = false } = {}) {',
  to: `  knownSelections = new WeakMap();
  buildSelection(fields, options = {}) {
    const table = fields[0]?.field.table;
    const ofOneTable = typeof table === "object" &&
      fields.every(({ field }) => is(field, Column) && field.table === table);
    if (!ofOneTable) return this.buildSelectionAnew(fields, options);
    const known = this.knownSelections.get(table) ?? [];
    this.knownSelections.set(table, known);
    const single = options.isSingleTable === true;
    let same = known.find((one) => one.single === single && one.fields.length === fields.length &&
      one.fields.every((field, index) => field === fields[index].field));
    if (same === undefined) {
      const { sql: text } = this.sqlToQuery(this.buildSelectionAnew(fields, options));
      same = { single, fields: fields.map(({ field }) => field), text };
      known.push(same);
    }
    return sql.raw(same.text);
  }
  buildSelectionAnew(fields, { isSingleTable = false } = {}) {`,
};

/**
 * Shorter ways in the query builder, with the same text as their result: without them a simulated
 * run spends half of its time there.
 */
export const QUICK_QUERIES: readonly Rewrite[] = [IS, SELECTION];
