import { open, stat } from 'node:fs/promises';
import type { Workspaces } from './open-workspaces.ts';
import { WorkspaceError } from './workspace.ts';

const HEADER_BYTES = 64 * 1024;
const TIMEOUT_MS = 5 * 60_000;

/**
 * Takes the one ref of a bundle that an agent's container wrote into the mirror and answers its
 * commit. Every object is checked: `git fetch` from a bundle checks none before git 2.46, so the
 * pack goes through `index-pack --strict`, then the history must be complete. Throws `git_failed`.
 */
export async function importBundle(
  workspaces: Workspaces,
  input: { mirrorPath: string; bundlePath: string; sourceRef: string; targetRef: string },
): Promise<string> {
  const { mirrorPath, bundlePath, sourceRef, targetRef } = input;
  const header = await readHeader(bundlePath, sourceRef);
  const { size } = await stat(bundlePath);
  const git = (
    purpose: string,
    args: readonly string[],
    file?: { file: string; fromByte: number },
  ) =>
    workspaces.git.run({
      purpose,
      gitDir: mirrorPath,
      args,
      timeoutMs: TIMEOUT_MS,
      ...(file === undefined ? {} : { input: file }),
    });
  await git(
    'index-pack',
    ['index-pack', '--stdin', '--fix-thin', '--strict', `--max-input-size=${size}`],
    { file: bundlePath, fromByte: header.packStart },
  );
  await git('rev-list', ['rev-list', '--objects', '--quiet', header.commit, '--not', '--all']);
  await git('update-ref', ['update-ref', targetRef, header.commit]);
  return header.commit;
}

async function readHeader(
  bundlePath: string,
  sourceRef: string,
): Promise<{ commit: string; packStart: number }> {
  const file = await open(bundlePath, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    const head = buffer.subarray(0, bytesRead);
    const end = head.indexOf('\n\n');
    const lines = end === -1 ? [] : head.subarray(0, end).toString('latin1').split('\n');
    const refs = lines.slice(1).filter((line) => !line.startsWith('-'));
    const match = /^([0-9a-f]{40}) (.+)$/.exec(refs[0] ?? '');
    if (lines[0] !== '# v2 git bundle' || refs.length !== 1 || match?.[2] !== sourceRef) {
      throw new WorkspaceError('git_failed', 'the bundle from the workspace is not readable');
    }
    return { commit: match[1] ?? '', packStart: end + 2 };
  } finally {
    await file.close();
  }
}
