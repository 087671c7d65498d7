import { registerHooks } from 'node:module';

// Node reads and parses the 130 KB of `exports` in the query builder's package.json anew for every
// import of it and for each of its own files: half of the time that a start takes. Import this
// before the first module that imports it. Answers are those that Node would give.
const PACKAGE = 'drizzle-orm';
const INSIDE = `/node_modules/${PACKAGE}/`;

const found = new Map<string, { url: string; format?: string | null | undefined }>();

registerHooks({
  resolve(specifier, context, next) {
    const parent = context.parentURL ?? '';
    if (specifier.startsWith('.') && parent.includes(INSIDE) && parent.endsWith('.js'))
      return { url: new URL(specifier, parent).href, format: 'module', shortCircuit: true };
    // Another package may have a version of its own, and what is required is another file.
    const own = specifier.startsWith(PACKAGE) && !parent.includes('/node_modules/');
    if (!own || context.conditions.includes('require')) return next(specifier, context);
    const known = found.get(specifier) ?? next(specifier, context);
    found.set(specifier, known);
    return { ...known, shortCircuit: true };
  },
});
