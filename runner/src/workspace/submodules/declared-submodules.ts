import type { Workspaces } from '../open-workspaces.ts';

/** The declaration of one submodule in a commit's .gitmodules. */
export type DeclaredSubmodule = {
  name: string;
  path: string;
  address: string;
  /** `update = none`: clones leave it out as well, unless it is requested. */
  isLeftOut: boolean;
};

const MAX_BYTES = 1024 * 1024;
const FIELD = /^submodule\.(.*)\.(path|url|update)\n(.*)$/s;

/**
 * The submodules that a commit declares, by path. Null when its .gitmodules is unreadable; entries
 * without path or address are skipped. Throws WorkspaceError.
 */
export async function declaredSubmodules(
  { git }: Pick<Workspaces, 'git'>,
  { mirrorPath, commit }: { mirrorPath: string; commit: string },
): Promise<Map<string, DeclaredSubmodule> | null> {
  const blob = `${commit}:.gitmodules`;
  const at = { gitDir: mirrorPath, purpose: 'config' };
  const { exitCode: isMissing } = await git.run({
    ...at,
    args: ['rev-parse', '--verify', '--quiet', '--end-of-options', blob],
    okExitCodes: [0, 1, 128],
  });
  if (isMissing !== 0) return new Map();
  const found = await git.run({
    ...at,
    args: [
      'config',
      '-z',
      '--no-includes',
      `--blob=${blob}`,
      '--get-regexp',
      String.raw`^submodule\..*\.(path|url|update)$`,
    ],
    okExitCodes: [0, 1, 3, 128],
    maxOutputBytes: MAX_BYTES,
    truncate: true,
  });
  if (found.truncated || found.exitCode > 1) return null;
  const fields = new Map<string, { path?: string; url?: string; update?: string }>();
  for (const entry of found.stdout.split('\0')) {
    const [, name, field, value] = FIELD.exec(entry) ?? [];
    if (name === undefined || field === undefined) continue;
    fields.set(name, { ...fields.get(name), [field]: value });
  }
  const declared = new Map<string, DeclaredSubmodule>();
  for (const [name, { path, url, update }] of fields) {
    if (path === undefined || url === undefined) continue;
    const folder = path.replace(/\/+$/, '');
    declared.set(folder, { name, path: folder, address: url, isLeftOut: update === 'none' });
  }
  return declared;
}
