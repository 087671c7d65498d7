import { posix } from 'node:path';

/** Why only a person should change a file: whoever runs it trusts the repository. */
export type ProtectedKind = 'workflow_file' | 'hook_file' | 'engine_config';

/** Files that other machines run automatically. In lower case; only `*` and `**` are supported. */
const PROTECTED: Record<Exclude<ProtectedKind, 'engine_config'>, readonly string[]> = {
  workflow_file: [
    '.github/workflows/**',
    '.github/actions/**',
    '.gitea/workflows/**',
    '.forgejo/workflows/**',
    '.gitlab-ci.yml',
    '.gitlab/ci/**',
    '.circleci/**',
    '.buildkite/**',
    '.woodpecker/**',
    '.woodpecker.y*ml',
    '.travis.yml',
    '.drone.yml',
    '.teamcity/**',
    'azure-pipelines*.y*ml',
    'bitbucket-pipelines.yml',
    'appveyor.yml',
    'jenkinsfile',
  ],
  hook_file: [
    '.husky/**',
    '.githooks/**',
    '.git-hooks/**',
    '.lefthook/**',
    'lefthook.y*ml',
    '.pre-commit-config.y*ml',
  ],
};

/** A private-use character in place of dots, which globs exclude from asterisks. */
const DOT = '\uE000';
/** Characters that Apple's file systems ignore in names. */
const UNSEEN = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/gu;

/**
 * The kind of protected file that a path means on any file system, whatever its spelling; null for
 * other and allowed files. A file, link or submodule in place of a protected folder counts as well,
 * since it provides its content.
 */
export function protectedKind(
  path: string,
  allowPaths: readonly string[],
  /** Globs of files that configure the agent engine itself. */
  engineConfigPaths: readonly string[],
): ProtectedKind | null {
  const names = new Set([path.toLowerCase(), foldedPath(path)]);
  const all = { ...PROTECTED, engine_config: engineConfigPaths };
  for (const [kind, globs] of Object.entries(all)) {
    const found = globs.some((glob) => [...names].some((name) => patternOf(glob).test(name)));
    if (found) return isAllowed(path, allowPaths) ? null : (kind as ProtectedKind);
  }
  return null;
}

function isAllowed(path: string, allowPaths: readonly string[]): boolean {
  const plain = path.replaceAll('.', DOT);
  return allowPaths.some((glob) => posix.matchesGlob(plain, glob.replaceAll('.', DOT)));
}

/** The path with equivalent letters unified, and without what Windows ignores. */
function foldedPath(path: string): string {
  return path
    .normalize('NFKC')
    .replaceAll(UNSEEN, '')
    .replaceAll('\\', '/')
    .toUpperCase()
    .toLowerCase()
    .split('/')
    .map((name) => name.replace(/:.*$/s, '').replace(/[. ]+$/, ''))
    .join('/');
}

const patterns = new Map<string, RegExp>();

function patternOf(glob: string): RegExp {
  const known = patterns.get(glob);
  if (known !== undefined) return known;
  const parts = glob.toLowerCase().split('/');
  const folders = parts
    .map((_, index) => parts.slice(0, index))
    .filter((start) => start.length > 0 && start.at(-1) !== '**');
  const made = new RegExp(`^(?:${[parts, ...folders].map(expression).join('|')})$`, 'su');
  patterns.set(glob, made);
  return made;
}

function expression(parts: readonly string[]): string {
  return parts
    .map((part, index) => {
      const isLast = index === parts.length - 1;
      if (part === '**') return isLast ? '.+' : '(?:.*/)?';
      const name = part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*');
      return isLast ? name : `${name}/`;
    })
    .join('');
}
