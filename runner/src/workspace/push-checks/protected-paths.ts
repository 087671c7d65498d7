import { posix } from 'node:path';

/** Why nobody but a person should change a file: whoever runs it trusts the repository. */
export type ProtectedKind = 'workflow_file' | 'hook_file' | 'engine_config';

/** Files that other machines run by themselves. Compared without case: some file systems do. */
const PROTECTED: Record<Exclude<ProtectedKind, 'engine_config'>, readonly string[]> = {
  workflow_file: [
    ...['.github/workflows/**', '.github/actions/**', '.gitea/workflows/**'],
    ...['.forgejo/workflows/**', '.gitlab-ci.yml', '.gitlab/ci/**', '.circleci/**'],
    ...['.buildkite/**', '.woodpecker/**', '.woodpecker.y*ml', '.travis.yml', '.drone.yml'],
    ...['.teamcity/**', 'azure-pipelines*.y*ml', 'bitbucket-pipelines.yml', 'appveyor.yml'],
    'jenkinsfile',
  ],
  hook_file: [
    ...['.husky/**', '.githooks/**', '.git-hooks/**', '.lefthook/**', 'lefthook.y*ml'],
    '.pre-commit-config.y*ml',
  ],
};

/** What kind of protected file a path is; null for others and for those that are allowed. */
export function protectedKind(
  path: string,
  allowPaths: readonly string[],
  /** Globs of what configures the agent engine itself. */
  engineConfigPaths: readonly string[],
): ProtectedKind | null {
  if (allowPaths.some((glob) => posix.matchesGlob(path, glob))) return null;
  const name = path.toLowerCase();
  const all = { ...PROTECTED, engine_config: engineConfigPaths };
  for (const [kind, globs] of Object.entries(all)) {
    if (globs.some((glob) => posix.matchesGlob(name, glob))) return kind as ProtectedKind;
  }
  return null;
}
