import { TRANSFER_LIMITS } from '../git/git-limits.ts';
import { parseRepositoryUrl } from '../git/repository-url.ts';
import { uploadObjects } from '../lfs/upload-objects.ts';
import { patiently } from '../mirror/with-refs.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { WorkspaceError } from '../workspace.ts';

const ASK_TIMEOUT_MS = 60_000;
const MOVE_TIMEOUT_MS = 5 * 60_000;
const DELETE_TIMEOUT_MS = 15_000;

/** A hidden ref on a remote, reached from the repository's mirror. */
export type HiddenRef = {
  repositoryUrl: string;
  mirrorPath: string;
  ref: string;
  signal?: AbortSignal;
};

/** The commit of the hidden ref on the remote; null when there is none. */
export async function askHiddenRef(workspaces: Workspaces, at: HiddenRef): Promise<string | null> {
  const { url } = parseRepositoryUrl(at.repositoryUrl);
  const result = await workspaces.git.run({
    gitDir: at.mirrorPath,
    args: ['ls-remote', '--end-of-options', url, at.ref],
    remoteUrl: url,
    timeoutMs: ASK_TIMEOUT_MS,
    ...(at.signal === undefined ? {} : { signal: at.signal }),
  });
  return /^([0-9a-f]{40,64})\t/.exec(result.stdout)?.[1] ?? null;
}

/**
 * Fetches the ref into the mirror under its own name. Throws WorkspaceError when it does not exist.
 */
export async function fetchHiddenRef(workspaces: Workspaces, at: HiddenRef): Promise<void> {
  const { url } = parseRepositoryUrl(at.repositoryUrl);
  const fetch = () =>
    workspaces.git.run({
      gitDir: at.mirrorPath,
      args: [
        'fetch',
        '--quiet',
        '--force',
        '--no-tags',
        '--no-write-fetch-head',
        '--end-of-options',
        url,
        `+${at.ref}:${at.ref}`,
      ],
      remoteUrl: url,
      timeoutMs: MOVE_TIMEOUT_MS,
      limits: TRANSFER_LIMITS,
      ...(at.signal === undefined ? {} : { signal: at.signal }),
    });
  await workspaces.lock(`mirror:${at.mirrorPath}`, () => patiently(at.mirrorPath, fetch));
}

/** Removes the ref if it still is at `expectedSha`. Throws WorkspaceError when it is not. */
export async function deleteHiddenRef(
  workspaces: Workspaces,
  at: HiddenRef & { expectedSha: string },
): Promise<void> {
  const { url } = parseRepositoryUrl(at.repositoryUrl);
  await workspaces.git.run({
    gitDir: at.mirrorPath,
    args: [
      'push',
      '--quiet',
      '--no-verify',
      '--recurse-submodules=no',
      `--force-with-lease=${at.ref}:${at.expectedSha}`,
      '--',
      url,
      `:${at.ref}`,
    ],
    remoteUrl: url,
    timeoutMs: DELETE_TIMEOUT_MS,
    ...(at.signal === undefined ? {} : { signal: at.signal }),
  });
}

/**
 * Removes the ref once its work is delivered, if it contains nothing beyond `commitSha`. A
 * remaining ref is harmless; the next delivery of the issue removes it.
 */
export async function forgetHiddenRef(
  workspaces: Workspaces,
  at: HiddenRef,
  commitSha: string,
): Promise<void> {
  try {
    const expectedSha = await askHiddenRef(workspaces, at);
    if (expectedSha === null || !(await isWithin(workspaces, at, expectedSha, commitSha))) return;
    await deleteHiddenRef(workspaces, { ...at, expectedSha });
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
  }
}

async function isWithin(
  { git }: Workspaces,
  { mirrorPath: gitDir }: HiddenRef,
  sha: string,
  commitSha: string,
): Promise<boolean> {
  if (sha === commitSha) return true;
  const args = ['merge-base', '--is-ancestor', sha, commitSha];
  const { exitCode } = await git.run({ gitDir, args, okExitCodes: [0, 1, 128] });
  return exitCode === 0;
}

/**
 * Moves the ref from its last known commit; a runner that lost its lease finds it moved and changes
 * nothing. Throws WorkspaceError.
 */
export async function pushHiddenRef(
  workspaces: Workspaces,
  at: HiddenRef & { commitSha: string; expectedSha: string | null },
): Promise<void> {
  const { url } = parseRepositoryUrl(at.repositoryUrl);
  await uploadObjects(workspaces, at);
  await workspaces.git.run({
    gitDir: at.mirrorPath,
    args: [
      'push',
      '--quiet',
      '--no-verify',
      '--no-follow-tags',
      '--recurse-submodules=no',
      `--force-with-lease=${at.ref}:${at.expectedSha ?? ''}`,
      '--',
      url,
      `${at.commitSha}:${at.ref}`,
    ],
    remoteUrl: url,
    timeoutMs: MOVE_TIMEOUT_MS,
    limits: TRANSFER_LIMITS,
    ...(at.signal === undefined ? {} : { signal: at.signal }),
  });
}
