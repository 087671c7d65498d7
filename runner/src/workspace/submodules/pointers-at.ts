import type { Workspaces } from '../open-workspaces.ts';

const MAX_PATHS = 1_000;
const MAX_PATH_CHARACTERS = 1_000;
const ENTRY = /^160000 commit ([0-9a-f]{40,64})\t(.+)$/s;

/**
 * The pointers of a commit's submodules at these paths; a path that is no submodule is left out.
 */
export async function pointersAt(
  { git }: Pick<Workspaces, 'git'>,
  { mirrorPath, commit, paths }: { mirrorPath: string; commit: string; paths: readonly string[] },
): Promise<[path: string, commit: string][]> {
  const asked = paths.filter((path) => path.length <= MAX_PATH_CHARACTERS).slice(0, MAX_PATHS);
  if (asked.length === 0) return [];
  const { stdout } = await git.run({
    gitDir: mirrorPath,
    purpose: 'ls-tree',
    args: ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', commit, '--', ...asked],
  });
  return stdout.split('\0').flatMap((line) => {
    const [, id, path] = ENTRY.exec(line) ?? [];
    return id === undefined || path === undefined ? [] : [[path, id] as [string, string]];
  });
}
