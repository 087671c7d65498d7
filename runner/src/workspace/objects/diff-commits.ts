import { assertTreesFit } from './assert-trees-fit.ts';
import { modeChanges } from './mode-changes.ts';
import type { Workspaces } from '../open-workspaces.ts';
import type { Snapshot } from '../workspace.ts';

export type CommitsDiff = Pick<Snapshot, 'diff' | 'diffTruncated' | 'diffStat'>;

const TIMEOUT_MS = 120_000;
const MAX_RAW_BYTES = 8 * 1024 * 1024;

/**
 * The difference between two commits of a mirror, at most `maxBytes`, and its size. Names are in
 * the form that `unquotePath` decodes. Throws `limit_exceeded` when there is too much to compare.
 */
export async function diffCommits(
  workspaces: Workspaces,
  input: { mirrorPath: string; from: string; to: string; maxBytes: number },
): Promise<CommitsDiff> {
  const { mirrorPath, from, to } = input;
  await assertTreesFit(workspaces, { mirrorPath, roots: [from, to] });
  const diff = (options: readonly string[], maxOutputBytes: number) =>
    workspaces.git.run({
      gitDir: mirrorPath,
      purpose: 'diff',
      args: [
        '-c',
        'core.quotePath=false',
        'diff',
        '--no-color',
        '--no-ext-diff',
        '--no-textconv',
        '--find-renames',
        '--submodule=short',
        ...options,
        '--end-of-options',
        from,
        to,
        '--',
      ],
      timeoutMs: TIMEOUT_MS,
      maxOutputBytes,
      truncate: true,
    });
  const patch = await diff(['--patch'], input.maxBytes);
  const stat = await diff(['--shortstat'], 4_096);
  const raw = await diff(['--raw', '-z', '--diff-filter=MTR'], MAX_RAW_BYTES);
  const modes = modeChanges(raw.stdout);
  const count = (word: string): number =>
    Number(new RegExp(`(\\d+) ${word}`).exec(stat.stdout)?.[1] ?? 0);
  return {
    // Truncation may split a character; its remains are removed.
    diff: patch.truncated ? patch.stdout.replace(/\uFFFD+$/, '') : patch.stdout,
    diffTruncated: patch.truncated,
    diffStat: {
      files: count('files?'),
      insertions: count('insertion'),
      deletions: count('deletion'),
      ...(modes.length === 0 ? {} : { modeChanges: modes }),
    },
  };
}
