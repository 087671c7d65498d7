import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { testSpec } from '../../connection/testing/attempt-spec.ts';
import { BRANCH, check, useMerge } from './testing/use-merge.ts';

const rig = useMerge();
const { at, base, commit, ended, finished, leftovers, offerMerge, remote } = rig;

const NO_ENGINE = { launches: 0, sessions: 0, containers: 0 };
const PASSES = check('passes', 'true');
const { engine: ENGINE } = testSpec();

/** The base and the branch after both have gone on; answers both heads. */
async function twoSides(): Promise<{ work: string; head: string }> {
  const work = await commit(BRANCH, { 'ours.txt': 'ours\n' });
  const head = await commit('main', { 'theirs.txt': 'theirs\n' });
  return { work, head };
}

describe('a merge that passes its checks', { timeout: 60_000 }, () => {
  it('is pushed as exactly the commit that they saw, with the files of both sides', async () => {
    const { work, head } = await twoSides();
    const sees = `test -e ours.txt && test -e theirs.txt && git rev-parse HEAD >${at('tested')}`;
    const hooks = {
      afterCreate: `echo "$SWITCHYARD_WORKSPACE" >${at('created')}; echo deps >.git/deps`,
      beforeRun: `test -e .git/deps && echo before >${at('before')}`,
      afterRun: `echo after >${at('after')}`,
    };
    offerMerge(work, { checks: [check('sees', sees), PASSES], hooks });
    const finish = await finished();
    expect(finish).toMatchObject({
      outcome: 'completed',
      marker: 'DONE',
      summary: null,
      merged: { baseCommit: head, mergeCommit: base() },
    });
    expect(finish).not.toHaveProperty('delivery');
    expect(readFileSync(at('tested'), 'utf8').trim()).toBe(base());
    expect(remote('log', '-1', '--format=%P|%an|%s', 'main')).toBe(
      `${head} ${work}|Agent|Merge SY-1`,
    );
    expect(ended()).toMatchObject([
      { name: 'sees', result: 'passed', commitSha: base() },
      { name: 'passes', result: 'passed', commitSha: base() },
    ]);
    // The issue's own workspace is the agent's.
    expect(readFileSync(at('created'), 'utf8').trim()).toMatch(/\/SY-1-merge--[0-9a-f]{16}$/);
    expect(readFileSync(at('before'), 'utf8')).toBe('before\n');
    expect(leftovers()).toEqual([]);
  });

  it('starts no engine, takes no checkpoint and can be followed', async () => {
    const { work } = await twoSides();
    offerMerge(work, { checks: [PASSES], engine: { ...ENGINE, name: 'nowhere' } });
    await finished();
    expect(rig.engineUse()).toEqual(NO_ENGINE);
    expect([...rig.payloads('checkpoint'), ...rig.payloads('snapshot')]).toEqual([]);
    expect(rig.payloads('phase').map(({ phase }) => phase)).toContain('delivering');
    expect(rig.payloads('log')).toContainEqual({
      source: 'git',
      text: `merged ${BRANCH} into main as ${base()}`,
    });
    expect(rig.world.plane.last('call')).toMatchObject({
      method: 'push.permit',
      params: { branch: 'main', commitSha: base(), repositoryUrl: rig.world.fixture.source.url },
    });
    expect(rig.world.revoked).toContain('att_00000001');
  });

  it('leaves the workspace of its issue alone', async () => {
    rig.world.engine.script = async (turn) => {
      await rig.edit();
      turn.message('Fixed.\n\nSWITCHYARD_STATUS: DONE');
      turn.end();
    };
    rig.offer();
    const { delivery } = await finished();
    const agents = () => rig.world.fixture.git(rig.workspace(), 'log', '--format=%H', 'HEAD');
    const before = agents();
    await commit('main', { 'theirs.txt': 'theirs\n' });
    const own = `test "$PWD" != ${rig.workspace()}`;
    offerMerge(delivery?.commitSha ?? '', {
      attemptId: 'att_00000002',
      checks: [check('own', own)],
    });
    expect(await finished('att_00000002@1')).toMatchObject({ merged: { mergeCommit: base() } });
    expect(agents()).toBe(before);
    expect(leftovers().filter((name) => name.includes('merge'))).toEqual([]);
  });
});

describe('a merge that is not made', { timeout: 60_000 }, () => {
  it('names the files of a conflict', async () => {
    const work = await commit(BRANCH, { 'src/app.txt': 'ours\n' });
    rig.world.fixture.git(at('author'), 'checkout', '-q', 'main');
    const head = await commit('main', { 'src/app.txt': 'theirs\n' });
    offerMerge(work, { checks: [PASSES] });
    expect(await finished()).toMatchObject({
      outcome: 'failed',
      failureKind: 'delivery_refused',
      reasonCode: 'merge_conflict',
      message: expect.stringContaining('"src/app.txt"') as string,
    });
    expect(base()).toBe(head);
    expect([rig.engineUse(), leftovers()]).toEqual([NO_ENGINE, []]);
  });

  it('names the checks that fail, and has run them twice', async () => {
    const { work, head } = await twoSides();
    offerMerge(work, { checks: [PASSES, check('bad', 'echo no; exit 3')] });
    const finish = await finished();
    expect(finish).toMatchObject({
      outcome: 'failed',
      failureKind: 'delivery_refused',
      reasonCode: 'checks_failed',
      message: 'checks failed: bad (exit code 3)',
    });
    expect(finish).not.toHaveProperty('merged');
    expect(ended().map(({ name, result }) => [name, result])).toEqual([
      ['passes', 'passed'],
      ['bad', 'failed'],
      ['bad', 'failed'],
    ]);
    expect([base(), leftovers()]).toEqual([head, []]);
    expect(rig.world.plane.all('call')).toEqual([]);
  });

  it.each([
    ['are left out', {}],
    ['are none', { checks: [] }],
  ])('is refused where checks %s, for nothing would test it', async (_what, change) => {
    const { work, head } = await twoSides();
    offerMerge(work, change);
    expect(await finished()).toMatchObject({
      outcome: 'failed',
      failureKind: 'delivery_refused',
      message: 'no checks are declared, so nothing would test the merge',
    });
    expect([base(), leftovers()]).toEqual([head, []]);
    expect(rig.world.plane.all('call')).toEqual([]);
  });

  it.each([
    ['that cannot be run', {}],
    ['of an attempt that has only to read', { readOnly: true }],
  ])('has no check %s', async (_what, change) => {
    const { work, head } = await twoSides();
    rig.world.containers.prepareCommand = (spec) => {
      if (spec.purpose === 'check') throw new Error('the daemon does not answer');
      return spec;
    };
    offerMerge(work, { checks: [PASSES], ...change });
    expect(await finished()).toMatchObject({
      outcome: 'failed',
      failureKind: 'workspace_error',
      message: expect.stringContaining('the check passes could not be run: ') as string,
    });
    expect([base(), leftovers()]).toEqual([head, []]);
  });

  it('is not tested in a workspace that its hooks made another one', async () => {
    const { work, head } = await twoSides();
    offerMerge(work, { checks: [PASSES], hooks: { beforeRun: 'touch stray' } });
    expect(await finished()).toMatchObject({
      failureKind: 'workspace_error',
      message: expect.stringContaining('stray') as string,
    });
    expect([base(), ended()]).toEqual([head, []]);
  });

  it('is refused where the branch has moved, or is gone', async () => {
    const { work, head } = await twoSides();
    const moved = await commit(BRANCH, { 'more.txt': 'more\n' });
    offerMerge(work, { checks: [PASSES] });
    expect(await finished()).toMatchObject({
      failureKind: 'delivery_refused',
      reasonCode: 'merge_branch_moved',
      message: expect.stringContaining(moved) as string,
    });
    remote('update-ref', '-d', `refs/heads/${BRANCH}`);
    offerMerge(moved, { attemptId: 'att_00000002', checks: [PASSES] });
    expect(await finished('att_00000002@1')).toMatchObject({ reasonCode: 'merge_branch_moved' });
    expect([base(), ended()]).toEqual([head, []]);
  });

  it('is refused without permission', async () => {
    const { work, head } = await twoSides();
    rig.world.plane.permit = { allowed: false, reason: 'it was taken out of the queue' };
    offerMerge(work, { checks: [PASSES] });
    expect(await finished()).toMatchObject({
      failureKind: 'delivery_refused',
      reasonCode: 'merge_removed',
      message: 'it was taken out of the queue',
    });
    expect([base(), leftovers()]).toEqual([head, []]);
  });
});

describe('a branch that the base has already', { timeout: 60_000 }, () => {
  it('is reported as merged, by the commit that did it, without a check', async () => {
    const { work, head } = await twoSides();
    offerMerge(work, { checks: [PASSES] });
    const { merged } = await finished();
    expect(merged).toEqual({ baseCommit: head, mergeCommit: base() });
    await commit('main', { 'later.txt': 'later\n' });
    remote('update-ref', '-d', `refs/heads/${BRANCH}`);
    const now = base();
    offerMerge(work, { attemptId: 'att_00000002', checks: [check('fails', 'exit 1')] });
    expect(await finished('att_00000002@1')).toMatchObject({ outcome: 'completed', merged });
    expect(rig.payloads('check', 'att_00000002@1')).toEqual([]);
    expect(base()).toBe(now);
  });
});
