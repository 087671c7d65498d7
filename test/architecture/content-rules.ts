import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isTestFile, listFiles, workspaces, type SourceTree } from './source-tree.ts';
import type { Violation } from './violation.ts';

/**
 * The adapter's folder, the files that wire it up, lists of the exact packages installed, the package's
 * own page, and the configuration, which reads another program's file format with that engine's name as
 * a key.
 */
const mayNameEngine = [
  /^runner\/src\/engine\/codex\//,
  /^runner\/src\/(engine\/)?[^/]+\.ts$/,
  /^runner\/src\/engine\/parts\/engine-parts\.ts$/,
  /^control-plane\/src\/config\//,
  /^runner\/src\/container\/docker\/sandbox\/(Dockerfile|pins\.json)$/,
  /^control-plane\/cli\/build\/package-readme\.md$/,
  /(^|\/)package\.json$/,
];
/** Headers that the engine and its model provider exchange; a provider cannot choose their names. */
const wireNames = /x-codex-[a-z-]+/gi;
const textFile = /(\.(ts|tsx|mjs|css|html|json|md|sh|sql|toml|yaml|yml)|\/Dockerfile)$/;
const moduleHook = /\b(register|registerHooks|syncBuiltinESMExports)\b/;
/** Where the core may name a provider: below its own folder, in its settings, and where it is set up. */
const mayNameProvider = /^control-plane\/src\/(integrations|config\/integrations|admin\/setup)\//;
const providers = /linear|github|slack|gitlab|jira/i;
/** Names that the contract or the world outside has fixed, and the one page that is quoted. */
const fixedNames =
  /github_api|github_pat_|notifications\.slack|notifications\['slack'\]|'slack'|^ {2}slack: z$|\.github\/workflows|https:\/\/github\.com\/github\/docs\//gm;
const maxLines = 300;

/** Checks what files say: no mocked or hooked modules, and no word about who is behind a port. */
export function checkContents(tree: SourceTree): Violation[] {
  const mocks = tree.files
    .filter((file) => file.viCalls.some((name) => /^(do)?mock$/i.test(name)))
    .map(({ path }) => ({
      rule: 'mock',
      path,
      message: 'vi.mock replaces modules; put a fake at the network edge or pass a port',
    }));
  const named = workspaces
    .flatMap((folder) => listFiles(tree.root, folder))
    .filter((path) => textFile.test(path) && !isTestFile(path))
    .filter((path) => !mayNameEngine.some((allowed) => allowed.test(path)))
    .filter((path) =>
      /codex/i.test(readFileSync(join(tree.root, path), 'utf8').replaceAll(wireNames, '')),
    )
    .map((path) => ({
      rule: 'engine',
      path,
      message: 'names the engine; only runner/src/engine/codex and docs do',
    }));
  const providersNamed = tree.files
    .filter(({ path }) => path.startsWith('control-plane/src/') && !isTestFile(path))
    .filter(({ path }) => !mayNameProvider.test(path))
    .filter(({ text }) => providers.test(text.replaceAll(fixedNames, '')))
    .map(({ path }) => ({
      rule: 'provider',
      path,
      message: 'names a provider; let its manifest below integrations/ say what is asked',
    }));
  return [...mocks, ...moduleHooks(tree), ...named, ...providersNamed];
}

/** Finds files that put something beneath modules as they are loaded. */
function moduleHooks(tree: SourceTree): Violation[] {
  return tree.files
    .filter(({ imports }) => imports.some(({ specifier }) => /^(node:)?module$/.test(specifier)))
    .filter(({ text }) => moduleHook.test(text))
    .map(({ path }) => ({
      rule: 'module-hook',
      path,
      message: 'module hooks swap or rewrite modules; pass a port, or patch a copy of the sources',
    }));
}

/** Files past the guide's length, longest first: worth a look, never a failure. */
export function longFiles(tree: SourceTree): string[] {
  return tree.files
    .filter((file) => file.lines > maxLines)
    .toSorted((a, b) => b.lines - a.lines)
    .map((file) => `${file.path}: ${file.lines} lines`);
}
