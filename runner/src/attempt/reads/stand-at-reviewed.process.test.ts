import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AttemptSpec } from '@switchyard/shared/protocol/attempt-spec';
import type { FakeTurn } from '../testing/fake-engine.ts';
import { useHost } from '../testing/use-host.ts';

const rig = useHost();
const { edit, finished, payloads, stored, workspace } = rig;
const BRANCH = 'switchyard/sy-1-fix-it';
const REFUSED = { failureKind: 'workspace_error', reasonCode: 'review_branch_moved' };

const git = (...args: string[]): string => rig.world.fixture.git(workspace(), ...args).trim();
const remote = (...args: string[]): string =>
  rig.world.fixture.git(rig.world.fixture.remotePath, ...args).trim();
const at = (name: string): string => join(workspace(), name);
const head = () => git('rev-parse', 'HEAD');
const short = (commit: string) => commit.slice(0, 12);

/** Where the workspace stands: commit, branch, and files that differ from the commit. */
const place = () => [
  head(),
  git('rev-parse', '--abbrev-ref', 'HEAD'),
  git('status', '--porcelain'),
];

function agent(act: (turn: FakeTurn) => unknown, marker = 'DONE'): void {
  rig.world.engine.script = async (turn: FakeTurn) => {
    await act(turn);
    turn.message(`Finished.\n\nSWITCHYARD_STATUS: ${marker}`);
    turn.end();
  };
}

/** Runs the attempt of this number to its end, and its lease. */
async function run(number: number, change: Partial<AttemptSpec> = {}) {
  const attemptId = `att_0000000${number}`;
  rig.offer({ attemptId, number, branch: BRANCH, ...change });
  const finish = await finished(`${attemptId}@1`);
  await rig.until('the lease to go', () => rig.runner.host.held().length === 0);
  return finish;
}

/** An attempt of the author that delivers a file; answers the delivered commit. */
async function deliver(number: number, file: string): Promise<string> {
  agent(() => edit(file));
  const { delivery } = await run(number);
  expect(delivery?.pushed).toBe(true);
  return delivery?.commitSha ?? '';
}

/** A review of the commit; answers its end and where its agent found the workspace. */
async function review(
  number: number,
  expectedCommit: string,
  { act, ...change }: Partial<AttemptSpec> & { act?: () => unknown } = {},
) {
  let found: string[] = [];
  agent(async () => {
    found = place();
    await act?.();
  });
  const baseCommit = remote('rev-parse', 'main');
  const finish = await run(number, {
    readOnly: true,
    review: { expectedCommit, baseCommit },
    resume: { commitSha: expectedCommit, baseCommit },
    ...change,
  });
  return { finish, found };
}

/** Where the author's next attempt begins. */
async function begin(number: number, change: Partial<AttemptSpec> = {}) {
  let found: string[] = [];
  agent(() => {
    found = place();
  }, 'BLOCKED');
  await run(number, change);
  return found;
}

async function writesEverywhere(): Promise<void> {
  await writeFile(at('src/app.txt'), 'other\n');
  await rm(at('README.md'));
  await edit('committed.txt');
  git('add', '-A');
  git('commit', '-qm', 'Not asked for');
  await edit('planted.txt');
}

describe('a review', { timeout: 120_000 }, () => {
  it('reads the delivered commit in the workspace of its author, and changes nothing', async () => {
    const commit = await deliver(1, 'work.txt');
    const before = place();
    const { finish, found } = await review(2, commit, { act: writesEverywhere });
    expect(finish).toMatchObject({ outcome: 'completed', marker: 'DONE' });
    expect(finish).not.toHaveProperty('delivery');
    expect(found).toEqual([commit, BRANCH, '']);
    expect(remote('rev-parse', BRANCH)).toBe(commit);
    const key = 'att_00000002@1';
    for (const point of payloads('checkpoint', key))
      expect(point).toMatchObject({ commitSha: null, diffBlob: null, diffStat: null });
    expect(
      ['snapshot', 'check', 'artifacts', 'notice'].flatMap((kind) => stored(kind, key)),
    ).toEqual([]);
    expect(await begin(3)).toEqual(before);
    await deliver(4, 'second.txt');
    expect(remote('diff', '--name-only', 'main', BRANCH).split('\n')).toEqual([
      'second.txt',
      'work.txt',
    ]);
  });

  it('leaves the thread of the author, which goes on after it', async () => {
    const session = () =>
      join(rig.world.engine.launches.at(-1)?.homePath ?? '', 'codex/sessions/thread.jsonl');
    agent(async () => {
      await edit();
      await rig.world.fixture.write(session(), 'of the author\n');
    });
    const { delivery } = await run(1);
    await review(2, delivery?.commitSha ?? '', {
      act: async () => {
        expect(existsSync(session())).toBe(false);
        await rig.world.fixture.write(session(), 'of the review\n');
      },
    });
    let found = '';
    agent(() => {
      found = readFileSync(session(), 'utf8');
    });
    await run(3, { resumeThreadId: 'thread-1' });
    expect(found).toBe('of the author\n');
    expect(rig.world.engine.sessions.at(-1)?.resumed).toBe('thread-1');
  });

  it('reads the delivered commit where the workspace has the same files in another', async () => {
    // As after signing: the signed commit is in the mirror only.
    agent(() => edit('work.txt'), 'BLOCKED');
    await run(1);
    const before = place();
    const commit = await rig.world.fixture.commitOnRemote(BRANCH, { 'work.txt': 'new\n' });
    expect(commit).not.toBe(before[0]);
    expect((await review(2, commit)).found).toEqual([commit, 'HEAD', '']);
    expect(await begin(3)).toEqual(before);
  });

  it.each(['process', 'docker'] as const)(
    'reads a newer commit in an older workspace, which is as before afterwards (%s)',
    async (isolation) => {
      rig.world.containers.isolation = isolation;
      await deliver(1, 'work.txt');
      const before = place();
      const commit = await rig.world.fixture.commitOnRemote(BRANCH, { 'more.txt': 'more\n' });
      const { found, finish } = await review(2, commit);
      expect(finish).toMatchObject({ outcome: 'completed' });
      expect(found).toEqual([commit, 'HEAD', '']);
      expect(existsSync(at('more.txt'))).toBe(true);
      expect((await review(3, commit)).found).toEqual([commit, 'HEAD', '']);
      expect(await begin(4)).toEqual(before);
      expect(existsSync(at('more.txt'))).toBe(false);
    },
  );

  it('fetches the branch where there is no workspace, and leaves none for the author', async () => {
    const commit = await rig.world.fixture.commitOnRemote(BRANCH, { 'work.txt': 'new\n' });
    const hooks = { afterCreate: 'echo made >made.txt', beforeRun: 'echo run >>runs.txt' };
    for (const number of [1, 2]) {
      const { finish, found } = await review(number, commit, { hooks });
      expect(finish).toMatchObject({ outcome: 'completed' });
      expect(found).toEqual([commit, BRANCH, '?? made.txt\n?? runs.txt']);
      expect(readFileSync(at('runs.txt'), 'utf8')).toBe('run\n');
    }
    const more = await rig.world.fixture.commitOnRemote(BRANCH, { 'work.txt': 'newer\n' });
    expect(await begin(3, { resume: { commitSha: more } })).toEqual([more, BRANCH, '']);
    expect(payloads('workspace', 'att_00000003@1')).toMatchObject([{ created: true }]);
  });

  it.each(['process', 'docker'] as const)(
    'is not kept from a later one by what a hook left (%s)',
    async (isolation) => {
      rig.world.containers.isolation = isolation;
      const commit = await deliver(1, 'work.txt');
      const hooks = { beforeRun: 'echo run >>work.txt; echo run >>runs.txt' };
      for (const number of [2, 3]) {
        const { finish } = await review(number, commit, { hooks });
        expect(finish).toMatchObject({ outcome: 'completed' });
      }
      expect(await begin(4)).toEqual([commit, BRANCH, '']);
    },
  );

  it('reads the commit of a clone that a hook makes', async () => {
    const commit = await rig.world.fixture.commitOnRemote(BRANCH, { 'work.txt': 'new\n' });
    const hooks = { afterCreate: `git clone -q ${rig.world.fixture.source.url} . && touch made` };
    const { finish, found } = await review(1, commit, { hooks });
    expect(finish).toMatchObject({ outcome: 'completed' });
    expect(found).toEqual([commit, BRANCH, '?? made']);
  });
});

describe('a review does not begin', { timeout: 120_000 }, () => {
  it('where the branch was moved and its commit is gone', async () => {
    const commit = await rig.world.fixture.commitOnRemote(BRANCH, { 'work.txt': 'new\n' });
    const main = remote('rev-parse', 'main');
    remote('update-ref', `refs/heads/${BRANCH}`, main);
    const { finish } = await review(1, commit);
    expect(finish).toMatchObject(REFUSED);
    expect(finish.message).toContain(short(commit));
    expect(finish.message).toContain(short(main));
    expect(rig.world.engine.launches).toEqual([]);
    await begin(2);
    expect(payloads('workspace', 'att_00000002@1')).toMatchObject([{ created: true }]);
  });

  it('beside changes that are not committed, which stay', async () => {
    const commit = await deliver(1, 'work.txt');
    await writeFile(at('README.md'), 'unfinished\n');
    await edit('unfinished.txt');
    const before = place();
    const { finish } = await review(2, commit);
    expect(finish).toMatchObject(REFUSED);
    expect(finish.message).toContain('changes that are not committed');
    expect(place()).toEqual(before);
    const newer = await rig.world.fixture.commitOnRemote(BRANCH, { 'more.txt': 'more\n' });
    expect((await review(3, newer)).finish).toMatchObject(REFUSED);
    expect(await begin(4)).toEqual(before);
  });

  it('in a workspace with commits that the reviewed one does not have, which stay', async () => {
    const commit = await deliver(1, 'work.txt');
    agent(() => edit('second.txt'), 'BLOCKED');
    await run(2);
    const before = place();
    const { finish } = await review(3, commit);
    expect(finish).toMatchObject(REFUSED);
    expect(finish.message).toContain(short(commit));
    expect(finish.message).toContain(short(before[0] ?? ''));
    expect(place()).toEqual(before);
    expect(await begin(4)).toEqual(before);
  });

  it.each<Record<string, string>>([
    { '.gitignore': '' },
    { '.gitignore': '', 'cache.txt': 'theirs\n' },
  ])('where files that git ignores would be lost: %o', async (files) => {
    agent(async () => {
      await writeFile(at('.gitignore'), 'cache.txt\n');
      await writeFile(at('cache.txt'), 'mine\n');
    });
    await run(1);
    const before = place();
    const commit = await rig.world.fixture.commitOnRemote(BRANCH, files);
    expect((await review(2, commit)).finish).toMatchObject(REFUSED);
    expect(await begin(3)).toEqual(before);
    expect(readFileSync(at('cache.txt'), 'utf8')).toBe('mine\n');
  });

  it('says what else is the matter where the remote cannot be asked', async () => {
    const commit = await rig.world.fixture.commitOnRemote(BRANCH, { 'work.txt': 'new\n' });
    await rm(rig.world.fixture.remotePath, { recursive: true });
    const attempt = { readOnly: true, review: { expectedCommit: commit, baseCommit: commit } };
    const finish = await run(1, attempt);
    expect(finish).toMatchObject({ outcome: 'failed' });
    expect(finish).not.toMatchObject(REFUSED);
  });
});
