import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallValue } from '@switchyard/shared/protocol/calls';
import { FakeContainers } from '../attempt/testing/fake-containers.ts';
import { CallTable } from '../connection/calls.ts';
import { FakeClock } from '../connection/testing/fake-clock.ts';
import { UsageKeeper } from '../workspace/disk/usage-keeper.ts';
import { updateMirror } from '../workspace/mirror/mirror.ts';
import { prepareWorkspace } from '../workspace/prepare-workspace.ts';
import type { WorkspaceFixture } from '../workspace/testing/workspace-fixture.ts';
import { makeWorkspaceFixture, testIdentity } from '../workspace/testing/workspace-fixture.ts';
import { createAnswerCall } from './answer-call.ts';

let fixture: WorkspaceFixture;
const inUse = new Set<string>();
const containers = new FakeContainers();
const warnings: string[] = [];
const steered: unknown[] = [];
const noLog = () => undefined;
beforeEach(async () => {
  inUse.clear();
  fixture = await makeWorkspaceFixture();
});
afterEach(() => fixture.dispose());

const call = (method: string, params: unknown): Promise<unknown> => {
  const { workspaces } = fixture;
  const deps = {
    workspaces,
    usages: new UsageKeeper(),
    attempts: {
      workspacesInUse: () => inUse,
      steer: async (ref: unknown, order: unknown) => steered.push({ ref, order }) === 1,
    },
    sandbox: { containers, image: 'none', runnerId: 'run_1', bootId: 'boot' },
    operator: {
      answer: () => Promise.reject(new Error('no operator here')),
      testTurn: () => Promise.reject(new Error('no operator here')),
    },
    log: {
      info: () => undefined,
      warn: (words: string) => void warnings.push(words),
      error: noLog,
    },
  };
  return createAnswerCall(deps)(method, params, new AbortController().signal);
};

/** Work of an attempt, in the mirror of this runner and nowhere else. */
async function keptWork() {
  const { workspaces, source: repository } = fixture;
  const commitSha = await fixture.commitOnRemote('scratch', { 'work.txt': 'done\n' });
  const { path } = await updateMirror(workspaces, repository);
  fixture.git(path, 'update-ref', 'refs/switchyard/attempts/att_1', commitSha);
  fixture.git(fixture.remotePath, 'update-ref', '-d', 'refs/heads/scratch');
  fixture.git(fixture.remotePath, 'prune', '--expire=now');
  const ref = 'refs/switchyard/wip/sy-1';
  return { commitSha, params: { repository, ref, commitSha, branch: 'switchyard/sy-1' } };
}

describe('calls of the control plane', { timeout: 60_000 }, () => {
  it('shows branches and HEAD of a repository', async () => {
    await fixture.commitOnRemote('switchyard/sy-1', { 'a.txt': 'a\n' });
    const context = await call('git.context', { repository: fixture.source });
    expect(context).toEqual({
      head: 'main',
      branches: expect.arrayContaining(['main', 'switchyard/sy-1']) as string[],
      remotes: [fixture.source.url],
    });
  });

  it('compares a branch and merges it at the commit that was looked at', async () => {
    const commit = await fixture.commitOnRemote('switchyard/sy-1', { 'a.txt': 'a\n' });
    const repository = fixture.source;
    expect(
      await call('git.diff', { repository, base: 'main', head: 'switchyard/sy-1' }),
    ).toMatchObject({
      diff: expect.stringContaining('+a') as string,
      truncated: false,
    });
    const merge = { repository, branch: 'switchyard/sy-1', baseBranch: 'main', message: 'Merge' };
    const stale = call('pull_request.merge', { ...merge, expectedCommit: '0'.repeat(40) });
    await expect(stale).rejects.toMatchObject({ code: 'branch_refused' });
    const merged = (await call('pull_request.merge', { ...merge, expectedCommit: commit })) as {
      mergeCommit: string;
    };
    expect(fixture.git(fixture.remotePath, 'rev-parse', 'main').trim()).toBe(merged.mergeCommit);
  });

  it('publishes work in progress as a branch, and nothing else as one', async () => {
    const repository = fixture.source;
    const commitSha = await fixture.commitOnRemote('scratch', { 'half.txt': 'half\n' });
    const ref = 'refs/switchyard/wip/sy-1';
    fixture.git(fixture.remotePath, 'update-ref', ref, commitSha);
    fixture.git(fixture.remotePath, 'update-ref', '-d', 'refs/heads/scratch');
    const params = { repository, ref, commitSha, branch: 'switchyard/sy-1' };
    expect(await call('branch.publish', params)).toEqual({ pushed: true, baseBranch: 'main' });
    expect(fixture.git(fixture.remotePath, 'rev-parse', 'switchyard/sy-1').trim()).toBe(commitSha);
    expect(await call('branch.publish', params)).toEqual({ pushed: false, baseBranch: 'main' });
    for (const bad of [{ branch: 'main' }, { ref: 'refs/heads/main' }, { ref: `${ref}/../x` }]) {
      await expect(call('branch.publish', { ...params, ...bad })).rejects.toThrow();
    }
    const theirs = await fixture.commitOnRemote('switchyard/sy-2', { 'theirs.txt': 'x\n' });
    const taken = call('branch.publish', { ...params, branch: 'switchyard/sy-2' });
    await expect(taken).rejects.toMatchObject({ code: 'push_refused' });
    expect(fixture.git(fixture.remotePath, 'rev-parse', 'switchyard/sy-2').trim()).toBe(theirs);
  });

  it('publishes work of an attempt that only the mirror keeps, and whose base is gone', async () => {
    const repository = fixture.source;
    const { commitSha, params } = await keptWork();
    fixture.git(fixture.remotePath, 'branch', '-m', 'main', 'trunk');
    const gone = { baseBranch: 'trunk', baseIsGone: true };
    const asked = { ...params, baseBranch: 'main' };
    expect(await call('branch.publish', asked)).toEqual({ pushed: true, ...gone });
    expect(fixture.git(fixture.remotePath, 'rev-parse', 'switchyard/sy-1').trim()).toBe(commitSha);
    expect(await call('branch.publish', asked)).toEqual({ pushed: false, ...gone });
    const configured = { ...params, repository: { ...repository, defaultBranch: 'main' } };
    const other = { ...configured, branch: 'switchyard/sy-1-again' };
    expect(await call('branch.publish', other)).toEqual({ pushed: true, ...gone });
    expect(await call('branch.publish', { ...params, baseBranch: 'trunk' })).toEqual({
      pushed: false,
      baseBranch: 'trunk',
      baseIsGone: false,
    });
  });

  it('says what to do about a commit that nobody has any more', async () => {
    const { params } = await keptWork();
    const lost = { ...params, commitSha: 'c'.repeat(40) };
    const nowhere = {
      code: 'git_failed',
      message: expect.stringMatching(/mirror .* nor .*wip\/sy-1.* has c{40}.*start .*retry/s),
    };
    await expect(call('branch.publish', lost)).rejects.toMatchObject(nowhere);
    fixture.git(fixture.remotePath, 'update-ref', params.ref, 'refs/heads/main');
    await expect(call('branch.publish', lost)).rejects.toMatchObject(nowhere);
  });

  it('tells the control plane with a code which refusals are final', async () => {
    const { params } = await keptWork();
    const results: unknown[] = [];
    const calls = new CallTable(new FakeClock(), (method, given) => call(method, given));
    calls.attach((message) => void results.push(message));
    const serve = (more: object = {}) =>
      calls.serve({
        type: 'call',
        callId: `c${results.length}`,
        method: 'branch.publish',
        params: { ...params, ...more },
        timeoutMs: 60_000,
      });
    fixture.git(fixture.remotePath, 'update-ref', 'refs/heads/switchyard', 'refs/heads/main');
    await serve();
    fixture.git(fixture.remotePath, 'update-ref', '-d', 'refs/heads/switchyard');
    await fixture.commitOnRemote(params.branch, { 'theirs.txt': 'x\n' });
    await serve();
    const lock = join(fixture.remotePath, 'refs', 'heads', 'switchyard', 'sy-3.lock');
    await writeFile(lock, '');
    await serve({ branch: 'switchyard/sy-3' });
    const codes = ['push_refused', 'push_refused', 'push_rejected'];
    expect(results).toMatchObject(
      codes.map((code, at) => ({ type: 'result', callId: `c${at}`, ok: false, error: { code } })),
    );
  });

  it('removes a workspace, but not one in use', async () => {
    const { workspaces, source } = fixture;
    const issue = { identifier: 'SY-1', title: 't' };
    await prepareWorkspace(workspaces, { issue, source, identity: testIdentity, nowMs: 1 });
    inUse.add('SY-1');
    await expect(call('workspace.remove', { key: 'SY-1' })).rejects.toMatchObject({
      code: 'in_use',
    });
    inUse.clear();
    expect(await call('workspace.remove', { key: 'SY-1' })).toEqual({ removed: true });
    expect(existsSync(join(workspaces.paths.workspaces, 'SY-1'))).toBe(false);
    expect(await call('workspace.remove', { key: 'SY-1' })).toEqual({ removed: false });
  });

  it('lists workspaces, and runs their script before it removes them', async () => {
    const { workspaces, source } = fixture;
    const issue = { identifier: 'SY-1', title: 't' };
    await prepareWorkspace(workspaces, { issue, source, identity: testIdentity, nowMs: 1 });
    inUse.add('SY-1');
    const path = join(workspaces.paths.workspaces, 'SY-1');
    const one = { key: 'SY-1', identifier: 'SY-1', path, inUse: true };
    const listed = (await call('workspaces.list', {})) as CallValue<'workspaces.list'>;
    expect(listed.workspaces).toMatchObject([one]);
    expect(listed.workspaces[0]?.diskBytes).toBeGreaterThan(1_000);
    expect(listed.workspaces[0]?.lastModifiedAtMs).toBeGreaterThan(Date.now() - 60_000);
    inUse.clear();
    const seen = join(fixture.folder, 'seen');
    const beforeRemove = `ls -d .git > ${seen}; exit 3`;
    const removed = await call('workspace.remove', {
      key: 'SY-1',
      beforeRemove,
      timeoutMs: 10_000,
    });
    expect(removed).toEqual({ removed: true });
    expect(await readFile(seen, 'utf8')).toBe('.git\n');
    expect(warnings).toContain('before_remove failed');
    expect(await call('workspaces.list', {})).toEqual({ workspaces: [] });
    expect(await call('workspace.remove', { key: 'SY-1', beforeRemove })).toEqual({
      removed: false,
    });
  });

  it('keeps a workspace that an attempt took while its script ran', async () => {
    const { workspaces, source } = fixture;
    const issue = { identifier: 'SY-1', title: 't' };
    await prepareWorkspace(workspaces, { issue, source, identity: testIdentity, nowMs: 1 });
    const started = join(fixture.folder, 'started');
    const go = join(fixture.folder, 'go');
    const beforeRemove = `touch ${started}; while [ ! -e ${go} ]; do sleep 0.05; done`;
    const removal = call('workspace.remove', { key: 'SY-1', beforeRemove, timeoutMs: 30_000 });
    const take = async () => {
      await expect.poll(() => existsSync(started), { timeout: 30_000 }).toBe(true);
      inUse.add('SY-1');
      await writeFile(go, '');
    };
    // Together: the removal may end while the file that it waits for is still being closed.
    await Promise.all([expect(removal).rejects.toMatchObject({ code: 'in_use' }), take()]);
    expect(existsSync(join(workspaces.paths.workspaces, 'SY-1', '.git'))).toBe(true);
  });

  it.each(['..', '../..', 'a/b', '', '.git'])('never leaves the root for key %j', async (key) => {
    await expect(call('workspace.remove', { key })).rejects.toThrow();
  });

  it('hands words to a turn and says whether it took them', async () => {
    const params = { attemptId: 'att_1', epoch: 2, messageId: 'cmt_1', text: 'faster' };
    expect(await call('turn.steer', params)).toEqual({ delivered: true });
    expect(await call('turn.steer', params)).toEqual({ delivered: false });
    const [first] = steered;
    expect(first).toEqual({
      ref: { attemptId: 'att_1', epoch: 2 },
      order: { messageId: 'cmt_1', text: 'faster' },
    });
  });

  it('refuses what it does not know or cannot read', async () => {
    await expect(call('push.permit', {})).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    await expect(call('toString', {})).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    await expect(call('git.diff', { base: 1 })).rejects.toMatchObject({ code: 'MALFORMED' });
    const repository = { url: 'ext::sh -c touch% /tmp/x' };
    await expect(call('git.context', { repository })).rejects.toMatchObject({
      code: 'repository_refused',
    });
  });

  it('says to whoever asks about a repository that its operator has to allow the folder', async () => {
    const repository = { url: 'file:///srv/git/app.git' };
    for (const [method, params] of [
      ['git.context', { repository }],
      ['git.diff', { repository, base: 'main', head: 'switchyard/sy-1' }],
    ] as const)
      await expect(call(method, params), method).rejects.toMatchObject({
        code: 'repository_refused',
        message: expect.stringMatching(/start it with --allow-folder \S+ \/srv\/git$/),
      });
  });

  it('asks an engine nothing that is not on the list', async () => {
    const provider = { name: 'p', baseUrl: 'http://127.0.0.1:9/v1', wireApi: 'responses' };
    const beside = { engine: { model: 'm', provider }, requestTimeoutMs: 1_000 };
    for (const operation of [
      { op: 'command.exec', command: ['id'] },
      { op: 'command/exec', command: ['id'] },
      { op: 'turn/start', threadId: 't', input: [] },
      { op: 'mcp.login', name: 'x', command: 'id' },
      { op: 'thread.fork', threadId: 't', cwd: '/', sandbox: 'danger-full-access' },
      { op: 'account.login', type: 'apiKey', apiKey: 'sk-1' },
      { op: 'thread.read', threadId: '../t', includeTurns: true },
      'capabilities',
    ]) {
      await expect(call('engine.request', { ...beside, operation })).rejects.toMatchObject({
        code: 'MALFORMED',
      });
    }
  });
});
