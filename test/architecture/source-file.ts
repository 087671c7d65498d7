import { parseSync, Visitor } from 'oxc-parser';

/** One import, re-export, `import()` or `new URL('./x', import.meta.url)` of a file. */
export type ImportEdge = {
  specifier: string;
  /** Erased before the program runs. */
  typeOnly: boolean;
};

export type SourceFile = {
  /** Relative to the root, with forward slashes. */
  path: string;
  text: string;
  lines: number;
  imports: ImportEdge[];
  /** Names of `vi` methods that are called, for example `mock`. */
  viCalls: string[];
  /** True when every statement passes on another module's exports. */
  isBarrel: boolean;
  /** Names that it exports of its own, types included. */
  exports: string[];
};

/** Reads a file's imports from its syntax tree. Throws when it does not parse. */
export function parseSource(path: string, text: string): SourceFile {
  const { program, module, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  const imports: ImportEdge[] = [];
  for (const { moduleRequest, entries } of module.staticImports) {
    const typeOnly = entries.length > 0 && entries.every((entry) => entry.isType);
    imports.push({ specifier: moduleRequest.value, typeOnly });
  }
  const exports = module.staticExports.flatMap(({ entries }) =>
    entries
      .filter(({ moduleRequest }) => moduleRequest === null)
      // Only a default export has no name of its own.
      .map(({ exportName }) => exportName.name ?? 'default'),
  );
  for (const { entries } of module.staticExports) {
    const [first] = entries;
    if (!first?.moduleRequest) continue;
    const typeOnly = entries.every((entry) => entry.isType);
    imports.push({ specifier: first.moduleRequest.value, typeOnly });
  }
  const viCalls: string[] = [];
  visitExpressions(program, imports, viCalls);
  const isBarrel =
    program.body.length > 0 &&
    program.body.every(
      (statement) =>
        statement.type === 'ExportAllDeclaration' ||
        (statement.type === 'ExportNamedDeclaration' && statement.source !== null),
    );
  return { path, text, lines: text.split('\n').length, imports, viCalls, isBarrel, exports };
}

function visitExpressions(
  program: ReturnType<typeof parseSync>['program'],
  imports: ImportEdge[],
  viCalls: string[],
): void {
  const add = (source: { type: string }, typeOnly: boolean) => {
    const specifier = literalText(source);
    if (specifier !== null) imports.push({ specifier, typeOnly });
  };
  new Visitor({
    ImportExpression: (node) => add(node.source, false),
    TSImportType: (node) => add(node.source, true),
    NewExpression(node) {
      const [target] = node.arguments;
      if (node.callee.type !== 'Identifier' || node.callee.name !== 'URL' || !target) return;
      if (literalText(target)?.startsWith('.')) add(target, false);
    },
    CallExpression({ callee }) {
      if (callee.type !== 'MemberExpression' || callee.computed) return;
      if (callee.object.type !== 'Identifier' || callee.object.name !== 'vi') return;
      viCalls.push(callee.property.name);
    },
  }).visit(program);
}

function literalText(node: { type: string; value?: unknown }): string | null {
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : null;
}
