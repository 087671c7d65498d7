import { execFileSync, spawnSync } from 'node:child_process';
import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Bench } from '../support/e2e/start-bench.ts';
import { type Attempt, workspaceOf } from './attempts.ts';
import type { Row } from './table.ts';
import type { World } from './world.ts';

const KIBIBYTES_PER_MEBIBYTE = 1024;
/** Of the service with its runner, and of each git of theirs: far below what the bomb takes. */
const MAX_PROCESS_MEBIBYTES = 1_024;
const CONTROL_MEBIBYTES = 1_024;
const SAMPLE_MS = 100;

const TEN = '0 1 2 3 4 5 6 7 8 9';
/** Ten levels of ten equal folders: 10^10 files in less than a kilobyte, as the agent's commit. */
export const BOMB = [
  'blob=$(echo x | git hash-object -w --stdin)',
  `tree=$(for i in ${TEN}; do printf "100644 blob %s\\tf%s\\n" $blob $i; done | git mktree)`,
  `for level in 1 2 3 4 5 6 7 8 9; do tree=$(for i in ${TEN}; do ` +
    `printf "040000 tree %s\\td%s\\n" $tree $i; done | git mktree); done`,
  'git update-ref HEAD $(git commit-tree -p HEAD -m Bomb $tree)',
  // A commit on top, so that nothing inside the container has to compare the bomb.
  'git update-ref HEAD $(git commit-tree -p HEAD -m Work $(git write-tree))',
  'echo work > work.txt',
].join('; ');

/** Hidden from stars of globs, and a link in the place of a protected folder. */
export const HIDDEN =
  `mkdir -p .github/workflows/.own && echo 'on: push' > .github/workflows/.own/.evil.yml && ` +
  `ln -s src .husky && echo work > work.txt`;

/** What comes of the work, and the most memory that one process of the service ever took. MiB. */
export async function withPeak<T>(
  bench: Bench,
  work: () => Promise<T>,
): Promise<{ made: T; peakMebibytes: number }> {
  const ending = new AbortController();
  const watched = sample(bench.folder, ending.signal);
  try {
    const made = await work();
    ending.abort();
    return { made, peakMebibytes: await watched };
  } finally {
    ending.abort();
  }
}

async function sample(folder: string, signal: AbortSignal): Promise<number> {
  let peak = 0;
  while (!signal.aborted) {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const sizes = await Promise.all(pids.map((pid) => peakOf(pid, folder)));
    peak = Math.max(peak, ...sizes);
    await wait(SAMPLE_MS);
  }
  return peak / KIBIBYTES_PER_MEBIBYTE;
}

/** Of what names the folder: the service's own Node and each git that it runs; 0 for others. */
async function peakOf(pid: string, folder: string): Promise<number> {
  const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
  const command = await read('cmdline');
  if (pid === String(process.pid) || !command.includes(folder)) return 0;
  return Number(/VmHWM:\s+(\d+) kB/.exec(await read('status'))?.[1] ?? 0);
}

/** The attempt ends with the number; whoever compares the same commits takes memory without end. */
export async function tryBomb(
  world: World,
  bench: Bench,
  { made: attempt, peakMebibytes }: { made: Attempt; peakMebibytes: number },
): Promise<Row> {
  const reason = /limit_exceeded: a commit has 11,111,111,110 files and folders/;
  expect(attempt.status).toBe('blocked');
  const issue = await bench.client.issue(attempt.issue);
  expect(issue).toMatchObject({ reasonCode: 'work_refused' });
  expect(issue.attempts).toMatchObject([{ failureKind: 'delivery_refused' }]);
  expect(issue.attempts[0]?.errorMessage).toMatch(reason);
  expect(attempt.events.some((text) => /^notice .*11,111,111,110/.test(text))).toBe(true);
  expect(peakMebibytes, 'the watch saw something').toBeGreaterThan(0);
  expect(peakMebibytes).toBeLessThan(MAX_PROCESS_MEBIBYTES);
  const copy = join(world.folder, 'bomb');
  await cp(workspaceOf(attempt), copy, { recursive: true, verbatimSymlinks: true });
  const own = ['git', '-c', 'safe.directory=*', '-C', copy];
  const log = [...own.slice(1), 'log', '--format=%H', '--grep=Bomb'];
  // The agent insists, with one more in each turn: what stood before the first one is no bomb.
  const bomb = execFileSync('git', log, { encoding: 'utf8' }).trim().split('\n').at(-1) ?? '';
  const limit = `ulimit -d ${CONTROL_MEBIBYTES * KIBIBYTES_PER_MEBIBYTE}; exec "$@"`;
  const diff = [...own, 'diff', '--shortstat', `${bomb}^`, bomb];
  const control = spawnSync('sh', ['-c', limit, 'sh', ...diff], { encoding: 'utf8' });
  expect(control.stderr, 'its control: git alone takes all there is').toMatch(/out of memory/i);
  return {
    attempt: 'tree of 10^10 files in a kilobyte',
    stoppedBy: 'folders are counted before they are compared',
    event: 'notice',
    control: 'succeeded',
  };
}

/** Names that begin with a dot and links for folders are seen; git has nothing against them. */
export async function tryHidden(world: World, bench: Bench, attempt: Attempt): Promise<Row> {
  expect(attempt.status).toBe('blocked');
  const refused = attempt.events.filter((text) => text.startsWith('write_refused ')).join();
  expect(refused).toContain('"path":".github/workflows/.own/.evil.yml"');
  expect(refused).toContain('"rule":"hook_file","path":".husky"');
  expect(await bench.repository.git('log', '--all', '--format=', '--name-only')).not.toMatch(
    /evil\.yml|husky/,
  );
  const copy = join(world.folder, 'hidden');
  await cp(workspaceOf(attempt), copy, { recursive: true, verbatimSymlinks: true });
  const push = ['push', '-q', '--no-verify', bench.repository.url, 'HEAD:refs/heads/hidden'];
  execFileSync('git', ['-C', copy, '-c', 'safe.directory=*', ...push]);
  const pushed = await bench.repository.git('ls-tree', '-r', '--name-only', 'hidden');
  expect(pushed, 'the control run').toMatch(/\.own\/\.evil\.yml/);
  return {
    attempt: 'push of a hidden workflow file',
    stoppedBy: 'the list of protected paths',
    event: 'write_refused',
    control: 'succeeded',
  };
}
