import type { SourceFile } from './source-file.ts';
import { isProductFile, resolveImport, type SourceTree } from './source-tree.ts';
import type { TypeShape } from './type-shape.ts';
import type { Violation } from './violation.ts';

/** The most dependencies that a function may take. */
const MAX_DEPENDENCIES = 6;

/** Files that connect: their functions take everything and give each part what it needs. */
export const COMPOSITION_ROOTS: ReadonlySet<string> = new Set([
  'control-plane/src/admin/setup/connect-setup.ts',
  'control-plane/src/app.ts',
  'control-plane/src/create-integration-host.ts',
  'control-plane/src/coordinator/create-effect-handler.ts',
  'control-plane/src/coordinator/create-run.ts',
  'control-plane/src/coordinator/periodic-tasks.ts',
  'control-plane/src/inbox/create-codehost-handler.ts',
  'control-plane/src/pull-requests/delivery/connect-delivery.ts',
  'control-plane/src/runners/operations/connect-account.ts',
  'control-plane/src/runners/protocol/create-frame-handler.ts',
  'runner/src/attempt/create-context-of.ts',
]);

/**
 * Finds functions with more dependencies than a reader keeps in mind. A parameter with dependencies is
 * named `deps`, or a name in its type ends in `Deps`; its dependencies are the members of its type.
 */
export function checkDependencies({ files }: SourceTree): Violation[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return files
    .filter(({ path }) => isProductFile(path) && !COMPOSITION_ROOTS.has(path))
    .flatMap((file) =>
      file.dependencyParameters.flatMap(({ start, shape }) => {
        const why = problemOf(membersOf(shape, file, byPath));
        if (why === null) return [];
        const line = file.text.slice(0, start).split('\n').length;
        return [{ rule: 'dependencies', path: file.path, message: `line ${line}: ${why}` }];
      }),
    );
}

function problemOf(members: ReadonlySet<string> | null): string | null {
  if (members === null) return 'nobody sees which dependencies it takes: name them in its type';
  if (members.size <= MAX_DEPENDENCIES) return null;
  return `takes ${members.size} dependencies, ${MAX_DEPENDENCIES} at most: name those that it uses, or bind what it calls where it is composed`;
}

/** The names of a type's members, followed through names and imports; null when one is unreadable. */
function membersOf(
  shape: TypeShape,
  file: SourceFile,
  byPath: ReadonlyMap<string, SourceFile>,
): ReadonlySet<string> | null {
  switch (shape.kind) {
    case 'members':
      return new Set(shape.names);
    case 'unreadable':
      return null;
    case 'all': {
      const parts = shape.of.map((part) => membersOf(part, file, byPath));
      const known = parts.filter((part) => part !== null);
      return known.length < parts.length ? null : new Set(known.flatMap((part) => [...part]));
    }
    case 'pick':
      return new Set(shape.names);
    case 'omit': {
      const all = membersOf(shape.of, file, byPath);
      return all && new Set([...all].filter((name) => !shape.names.includes(name)));
    }
    case 'name': {
      const own = file.types.get(shape.name);
      if (own !== undefined) return membersOf(own, file, byPath);
      const imported = file.importedNames.get(shape.name);
      const path = imported && resolveImport(file.path, imported.specifier);
      const source = path ? byPath.get(path) : undefined;
      if (imported === undefined || source === undefined) return null;
      return membersOf({ kind: 'name', name: imported.name }, source, byPath);
    }
  }
}
