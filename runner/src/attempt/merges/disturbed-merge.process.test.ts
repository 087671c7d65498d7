import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { limits } from '../testing/use-host.ts';
import { BRANCH, check, useMerge } from './testing/use-merge.ts';

const rig = useMerge();
const { at, base, cancel, commit, ended, finished, goOn, leftovers, offerMerge, remote } = rig;

const PASSES = check('passes', 'true');

/** Commits on the base, one after the other, that only branches `next-<n>` have yet. */
async function commitsToCome(count: number): Promise<string[]> {
  const commits: string[] = [];
  for (let n = 1; n <= count; n += 1) {
    commits.push(await commit(`next-${n}`, { [`theirs-${n}.txt`]: 'theirs\n' }));
  }
  return commits;
}

/** A check during whose nth run somebody pushes the nth of the commits to the base. */
const moves = (commits: readonly string[]) =>
  check(
    'moves',
    `echo x >>${at('runs')}; n=$(wc -l <${at('runs')}); git rev-parse HEAD >${at('tested')}; ` +
      `set -- ${commits.join(' ')}; [ "$n" -gt $# ] || { shift $((n - 1)); ` +
      `git --git-dir=${rig.world.fixture.remotePath} update-ref refs/heads/main "$1"; }`,
  );

function hook(name: string, script: string): void {
  const path = join(rig.world.fixture.remotePath, 'hooks', name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

describe('a base that moves during the test', { timeout: 120_000 }, () => {
  it('is merged with and tested again; what was tested last is pushed', async () => {
    const [next = ''] = await commitsToCome(1);
    rig.world.fixture.git(at('author'), 'checkout', '-q', 'main');
    const work = await commit(BRANCH, { 'ours.txt': 'ours\n' });
    offerMerge(work, { checks: [moves([next])] });
    expect(await finished()).toMatchObject({
      outcome: 'completed',
      merged: { baseCommit: next, mergeCommit: base() },
    });
    expect(readFileSync(at('tested'), 'utf8').trim()).toBe(base());
    expect(remote('log', '-1', '--format=%P', 'main')).toBe(`${next} ${work}`);
    expect(ended()).toHaveLength(2);
    expect(leftovers()).toEqual([]);
  });

  it('is given up after the third test', async () => {
    const commits = await commitsToCome(3);
    rig.world.fixture.git(at('author'), 'checkout', '-q', 'main');
    const work = await commit(BRANCH, { 'ours.txt': 'ours\n' });
    offerMerge(work, { checks: [moves(commits)] });
    expect(await finished()).toMatchObject({
      failureKind: 'delivery_refused',
      reasonCode: 'merge_base_moved',
    });
    expect([base(), ended().length, leftovers()]).toEqual([commits.at(-1), 3, []]);
  });
});

describe('a push', { timeout: 60_000 }, () => {
  it('counts where the remote has taken it and its answer was lost', async () => {
    const work = await commit(BRANCH, { 'ours.txt': 'ours\n' });
    hook('post-receive', `touch ${at('taken')}; kill -9 $PPID`);
    offerMerge(work, { checks: [PASSES] });
    expect(await finished()).toMatchObject({
      outcome: 'completed',
      merged: { mergeCommit: base() },
    });
    expect(existsSync(at('taken'))).toBe(true);
    expect(rig.world.plane.all('call')).toHaveLength(1);
  });

  it('that the remote refuses is not tried again', async () => {
    const head = base();
    const work = await commit(BRANCH, { 'ours.txt': 'ours\n' });
    hook('pre-receive', 'echo people only >&2; exit 1');
    offerMerge(work, { checks: [PASSES] });
    const finish = await finished();
    expect(finish).toMatchObject({
      failureKind: 'delivery_refused',
      message: expect.stringContaining('people only') as string,
    });
    expect(finish).not.toHaveProperty('reasonCode');
    expect([base(), ended().length]).toEqual([head, 1]);
  });

  it('that may pass later fails as trouble of the machine', async () => {
    const head = base();
    const work = await commit(BRANCH, { 'ours.txt': 'ours\n' });
    hook('pre-receive', 'echo try again later >&2; exit 1');
    offerMerge(work, { checks: [PASSES] });
    const { failureKind, reasonCode } = await finished();
    expect([failureKind, reasonCode, base()]).toEqual(['workspace_error', undefined, head]);
  });

  it('under way is reported although the attempt was stopped meanwhile', async () => {
    const work = await commit(BRANCH, { 'ours.txt': 'ours\n' });
    hook('pre-receive', rig.waiting().command);
    offerMerge(work, { checks: [PASSES] });
    await rig.waits();
    cancel();
    await rig.world.clock.advance(1_000);
    goOn();
    expect(await finished()).toMatchObject({
      outcome: 'completed',
      merged: { mergeCommit: base() },
    });
    expect(remote('log', '-1', '--format=%s', 'main')).toBe('Merge SY-1');
    expect(leftovers()).toEqual([]);
  });
});

describe('a merge that is stopped during a check', { timeout: 60_000 }, () => {
  it('is not made when it is cancelled, and leaves nothing', async () => {
    const head = base();
    const work = await commit(BRANCH, { 'ours.txt': 'ours\n' });
    offerMerge(work, { checks: [rig.waiting()] });
    await rig.waits();
    expect(leftovers()).not.toEqual([]);
    cancel();
    const finish = await finished();
    expect(finish).toMatchObject({ outcome: 'cancelled', message: 'asked to', marker: null });
    expect(finish).not.toHaveProperty('merged');
    expect([base(), leftovers()]).toEqual([head, []]);
  });

  it('is not made when its time is used up', async () => {
    const head = base();
    const work = await commit(BRANCH, { 'ours.txt': 'ours\n' });
    offerMerge(work, { checks: [rig.waiting()], limits: { ...limits, attemptMs: 200_000 } });
    await rig.waits();
    await rig.world.clock.advance(200_000);
    expect(await finished()).toMatchObject({ outcome: 'failed', failureKind: 'budget_exceeded' });
    expect([base(), leftovers()]).toEqual([head, []]);
  });

  it('is given back by the next process, which removes what is left', async () => {
    const head = base();
    const work = await commit(BRANCH, { 'ours.txt': 'ours\n' });
    offerMerge(work, { checks: [rig.waiting()] });
    await rig.waits();
    await rig.restart();
    await rig.until('the lease to go', () => rig.runner.host.held().length === 0);
    expect(rig.world.plane.finished.size).toBe(0);
    expect([base(), leftovers()]).toEqual([head, []]);
  });

  it('is reported by the next process where it was pushed before', async () => {
    const work = await commit(BRANCH, { 'ours.txt': 'ours\n' });
    offerMerge(work, { checks: [rig.waiting()] });
    await rig.waits();
    const merged = { baseCommit: base(), mergeCommit: work };
    const ref = { attemptId: 'att_00000001', epoch: 1 };
    rig.runner.journal.update(ref, { progress: { merged } });
    await rig.restart();
    expect(await finished()).toMatchObject({ outcome: 'completed', marker: 'DONE', merged });
  });
});
