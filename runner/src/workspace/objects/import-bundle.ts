import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { assertTreesFit } from './assert-trees-fit.ts';
import { deleteTree } from '../disk/delete-tree.ts';
import { failureOfGit } from './fault-of-work.ts';
import type { GitCommand } from '../git/git.ts';
import { IMPORT_LIMITS } from '../git/git-limits.ts';
import { withRefs } from '../mirror/with-refs.ts';
import type { Workspaces } from '../open-workspaces.ts';
import { WorkspaceError } from '../workspace.ts';

export type ImportLimits = { [Name in keyof typeof IMPORT_LIMITS]: number };

type Input = {
  mirrorPath: string;
  bundlePath: string;
  /** Target ref; null for one that was not requested. */
  targetOf: (sourceRef: string, commit: string) => string | null;
  limits?: ImportLimits;
};

const HEADER_BYTES = 64 * 1024;
const MAX_REFS = 64;
/** `PACK`, version, number of objects: four bytes each. */
const PACK_HEADER_BYTES = 12;
const TIMEOUT_MS = 5 * 60_000;
const MAX_LIST_BYTES = 128 * 1024 * 1024;
/** git's exit codes when it refuses its input. */
const FAILED = [1, 128];
const MiB = 1024 * 1024;

/**
 * Imports the refs of a bundle that an agent's container wrote into the mirror and returns the
 * commit of each. Objects are unpacked beside the mirror, verified (`git fetch` from a bundle
 * verifies none before git 2.46) and counted before they are moved in, so that a refused bundle
 * leaves nothing. Throws `limit_exceeded` with the excess, `snapshot_refused` with git's message,
 * or `git_failed`.
 */
export async function importBundle(
  workspaces: Workspaces,
  input: Input,
): Promise<Map<string, string>> {
  const { mirrorPath, bundlePath, targetOf } = input;
  const limits = input.limits ?? IMPORT_LIMITS;
  const header = await readHeader(bundlePath, limits);
  const targets = header.refs.map(([ref, commit]) => ({ target: targetOf(ref, commit), commit }));
  if (targets.some(({ target }) => target === null)) throw unreadable();
  const commits = [...new Set(header.refs.map(([, commit]) => commit))];
  const objects = join(workspaces.paths.temporary, `objects-${randomBytes(8).toString('hex')}`);
  const beside = {
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(join(mirrorPath, 'objects')),
  };
  const git = { workspaces, mirrorPath, env: beside };
  try {
    await mkdir(join(objects, 'pack'), { recursive: true });
    const { size } = await stat(bundlePath);
    const args = ['index-pack', '--stdin', '--fix-thin', '--strict', `--max-input-size=${size}`];
    await judge(git, { args, input: { file: bundlePath, fromByte: header.packStart } });
    await assertObjectsFit({ ...git, env: { GIT_OBJECT_DIRECTORY: objects } }, limits);
    await assertHistoryFits(git, commits, limits);
    await judge(git, { args: ['rev-list', '--objects', '--quiet', ...commits, '--not', '--all'] });
    await moveIn(objects, mirrorPath);
  } finally {
    await deleteTree(objects);
  }
  await withRefs(workspaces, mirrorPath, async () => {
    for (const { target, commit } of targets)
      await run({ ...git, env: {} }, { args: ['update-ref', target ?? '', commit] });
  });
  return new Map(header.refs);
}

type Beside = { workspaces: Workspaces; mirrorPath: string; env: Readonly<Record<string, string>> };

async function run(
  { workspaces, mirrorPath, env }: Beside,
  command: Pick<GitCommand, 'args' | 'input'>,
): Promise<string> {
  const { stdout } = await workspaces.git.run({
    purpose: command.args[0] ?? '',
    gitDir: mirrorPath,
    env,
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_LIST_BYTES,
    ...command,
  });
  return stdout;
}

/** Runs a command whose failure means that the objects are invalid. */
async function judge(
  { workspaces, mirrorPath, env }: Beside,
  command: Pick<GitCommand, 'args' | 'input'>,
): Promise<void> {
  const purpose = command.args[0] ?? '';
  const { exitCode, stderr } = await workspaces.git.run({
    purpose,
    gitDir: mirrorPath,
    env,
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_LIST_BYTES,
    okExitCodes: [0, ...FAILED],
    ...command,
  });
  if (exitCode !== 0) throw failureOfGit(`git ${purpose} failed: ${stderr}`);
}

/** Checks the sizes that objects declare before any git but `index-pack` unpacks one. */
async function assertObjectsFit(beside: Beside, limits: ImportLimits): Promise<void> {
  const format = '--batch-check=%(objecttype) %(objectsize)';
  const listed = await run(beside, {
    args: ['cat-file', '--batch-all-objects', '--unordered', '--buffer', format],
  });
  let total = 0;
  let commits = 0;
  for (const line of listed.split('\n')) {
    const [type, digits] = line.split(' ');
    const size = Number(digits ?? 0);
    total += size;
    if (type === 'commit') commits += 1;
    const most = type === 'blob' ? limits.MAX_BLOB_BYTES : limits.MAX_OTHER_OBJECT_BYTES;
    if (size > most)
      throw tooLarge(type === 'blob' ? 'a file' : `a ${type} object`, mebibytes(size, most));
  }
  if (commits > limits.MAX_COMMITS)
    throw tooLarge('the work', [`${commits} commits`, `${limits.MAX_COMMITS}`]);
  if (total > limits.MAX_UNPACKED_BYTES)
    throw tooLarge('the work, unpacked,', mebibytes(total, limits.MAX_UNPACKED_BYTES));
}

async function assertHistoryFits(
  beside: Beside,
  tips: readonly string[],
  { MAX_COMMITS }: ImportLimits,
): Promise<void> {
  const { workspaces, mirrorPath, env } = beside;
  const named = await run(beside, {
    args: ['cat-file', '--batch-check=%(objecttype)'],
    input: `${tips.join('\n')}\n`,
  });
  if (
    named
      .trimEnd()
      .split('\n')
      .some((type) => type !== 'commit')
  )
    throw unreadable();
  const listed = await run(beside, {
    args: ['rev-list', `--max-count=${MAX_COMMITS + 1}`, ...tips, '--not', '--all'],
  });
  const commits = listed.split('\n').filter((line) => line !== '');
  if (commits.length > MAX_COMMITS)
    throw tooLarge('the work', [`more than ${MAX_COMMITS} commits`, `${MAX_COMMITS}`]);
  await assertTreesFit(workspaces, { mirrorPath, env, roots: [...tips, ...commits] });
}

/** Moves the index last, because git finds a pack by it. */
async function moveIn(objects: string, mirrorPath: string): Promise<void> {
  const [from, to] = [join(objects, 'pack'), join(mirrorPath, 'objects', 'pack')];
  await mkdir(to, { recursive: true });
  const names = (await readdir(from)).filter((name) => /^pack-[0-9a-f]+\.\w+$/.test(name));
  const indexLast = names.toSorted(
    (one, other) => Number(one.endsWith('.idx')) - Number(other.endsWith('.idx')),
  );
  for (const name of indexLast) await rename(join(from, name), join(to, name));
}

async function readHeader(
  bundlePath: string,
  { MAX_OBJECTS }: ImportLimits,
): Promise<{ refs: [ref: string, commit: string][]; packStart: number }> {
  const file = await open(bundlePath, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    const head = buffer.subarray(0, bytesRead);
    const end = head.indexOf('\n\n');
    const lines = end === -1 ? [] : head.subarray(0, end).toString('latin1').split('\n');
    const refs = lines
      .slice(1)
      .filter((line) => !line.startsWith('-'))
      .map((line) => /^([0-9a-f]{40}) (refs\/\S+)$/.exec(line))
      .map((match): [string, string] => [match?.[2] ?? '', match?.[1] ?? '']);
    const complete = refs.length > 0 && refs.every(([ref]) => ref !== '');
    if (lines[0] !== '# v2 git bundle' || !complete || refs.length > MAX_REFS) throw unreadable();
    const packStart = end + 2;
    const pack = await file.read(Buffer.alloc(PACK_HEADER_BYTES), 0, PACK_HEADER_BYTES, packStart);
    if (pack.bytesRead < PACK_HEADER_BYTES) throw unreadable();
    const count = pack.buffer.readUInt32BE(PACK_HEADER_BYTES - 4);
    // git allocates memory for the header's number of objects before it reads the first.
    if (count > MAX_OBJECTS) throw tooLarge('the work', [`${count} objects`, `${MAX_OBJECTS}`]);
    return { refs, packStart };
  } finally {
    await file.close();
  }
}

/** A path in a colon-separated list, quoted for git. */
function quoted(path: string): string {
  return path.includes(':') || path.startsWith('"') ? JSON.stringify(path) : path;
}

function mebibytes(...sizes: [number, number]): [string, string] {
  return sizes.map((size) => `${Math.ceil(size / MiB)} MiB`) as [string, string];
}

function tooLarge(what: string, [found, most]: readonly [string, string]): WorkspaceError {
  return new WorkspaceError(
    'limit_exceeded',
    `${what} has ${found}, and at most ${most} are taken. Take it out of the history`,
  );
}

function unreadable(): WorkspaceError {
  return new WorkspaceError('snapshot_refused', 'the bundle from the workspace is not readable');
}
