import { describe, expect, it } from 'vitest';
import { totals } from './testing/fake-engine.ts';
import { limits, useHost } from './testing/use-host.ts';

const rig = useHost();
const { container, edit, finished, hang, offer, payloads, stored, turn, until } = rig;

describe('an attempt that fails', { timeout: 60_000 }, () => {
  it('says what git said about a repository that is not there', async () => {
    offer({ repository: { url: `file://${rig.world.fixture.folder}/nowhere` } });
    const { message, ...finish } = await finished();
    expect(finish).toMatchObject({ outcome: 'failed', failureKind: 'workspace_error' });
    expect(message).toContain('there is no repository at');
    expect(rig.world.containers.started).toHaveLength(0);
  });

  it('names what the operator can do about a repository that this runner may not use', async () => {
    offer({ repository: { url: 'file:///srv/git/app.git' } });
    expect(await finished()).toMatchObject({
      failureKind: 'workspace_error',
      reasonCode: 'repository_refused',
      message: expect.stringMatching(/^\/srv\/git\/app.git .*--allow-folder \S+ \/srv\/git$/),
    });
    expect(rig.world.containers.started).toHaveLength(0);
  });

  it('says what is missing when a hook that clones leaves no clone of the repository', async () => {
    offer({ hooks: { afterCreate: 'git init -q . || git clone x .' } });
    const { message, failureKind } = await finished();
    expect(failureKind).toBe('workspace_error');
    expect(message).toContain('after_create left no clone in the workspace');
  });

  it('says which hook failed', async () => {
    offer({ hooks: { beforeRun: 'echo no such tool >&2; exit 7' } });
    const { message, failureKind } = await finished();
    expect(failureKind).toBe('workspace_error');
    expect(message).toContain('exit code 7');
    expect(message).toContain('no such tool');
  });

  it('passes a provider limit on with its reset time', async () => {
    rig.world.engine.script = (one) =>
      one.end('failed', { kind: 'usage_limited', message: 'limit', resetAtMs: 5 });
    offer();
    expect(await finished()).toMatchObject({
      outcome: 'failed',
      failureKind: 'usage_limited',
      resetAtMs: 5,
    });
  });

  it('tells an engine that died from one that ran out of memory', async () => {
    hang();
    offer();
    await turn();
    const engine = await container();
    engine.stderr = 'panicked at main.rs';
    engine.exit({ exitCode: 0, signal: null, oom: false });
    const { outcome, failureKind, message } = await finished();
    expect({ outcome, failureKind }).toEqual({ outcome: 'failed', failureKind: 'agent_error' });
    expect(message).toContain('panicked at main.rs');
  });

  it('says first how a killed engine ended, then what it said last, without codes of terminals', async () => {
    hang();
    offer();
    await turn();
    const engine = await container();
    const at = '\u001b[2m2026-11-28T14:00:00.1Z\u001b[0m \u001b[33m WARN\u001b[0m';
    engine.stderr = `${at} codex: no git\n${at} codex: no rg\n\u001b[31mout of file handles\u001b[0m\n`;
    engine.exit({ exitCode: 137, signal: 'SIGKILL', oom: false });
    expect(await finished()).toMatchObject({
      reasonCode: 'engine_killed',
      message:
        'the agent engine was killed from outside (signal SIGKILL); its last output: out of file handles',
    });
    expect(stored('log').map(({ payload }) => payload['text'])).toContain(
      '2026-11-28T14:00:00.1Z  WARN codex: no git\n2026-11-28T14:00:00.1Z  WARN codex: no rg\nout of file handles\n',
    );
  });

  it('says that nobody knows how an engine ended that was killed with its supervisor', async () => {
    hang();
    offer();
    await turn();
    const engine = await container();
    engine.stderr = '2026-11-28T14:00:00.1Z WARN codex: no git\n';
    engine.exit({ exitCode: null, signal: null, oom: false });
    expect(await finished()).toMatchObject({
      reasonCode: 'engine_ended',
      message:
        'the agent engine ended and left no exit code, as when its supervisor is killed too or its container removed; its last output: 2026-11-28T14:00:00.1Z WARN codex: no git',
    });
  });

  it('ends as oom when the container ran out of memory', async () => {
    hang();
    offer();
    await turn();
    (await container()).exit({ exitCode: 137, signal: null, oom: true });
    expect(await finished()).toMatchObject({ outcome: 'oom', failureKind: 'container_oom' });
  });

  it('never overwrites commits of somebody else on its branch', async () => {
    const theirs = await rig.world.fixture.commitOnRemote('switchyard/sy-1-fix-it', {
      'theirs.txt': 'x\n',
    });
    rig.world.engine.script = async (one) => {
      await edit();
      one.message('SWITCHYARD_STATUS: DONE');
      one.end();
    };
    offer();
    expect(await finished()).toMatchObject({
      failureKind: 'delivery_refused',
      delivery: { pushed: false },
      message: expect.stringContaining('commits of somebody else') as string,
    });
    expect(
      rig.world.fixture
        .git(rig.world.fixture.remotePath, 'rev-parse', 'switchyard/sy-1-fix-it')
        .trim(),
    ).toBe(theirs);
  });

  it('stalls when the engine says nothing in a turn, but not while a person is asked', async () => {
    hang();
    offer({ limits: { ...limits, turnStallMs: 300_000, requestMs: 86_400_000 } });
    const one = await turn();
    one.say({ kind: 'request', requestId: 'r1', turnId: 'turn1', questions: [] });
    await until('the request', () => stored('request').length === 1);
    await rig.world.clock.advance(700_000);
    expect(rig.world.plane.finished.size).toBe(0);
    rig.world.plane.say({
      type: 'answer',
      attemptId: 'att_00000001',
      epoch: 1,
      answer: { requestId: 'r1', answers: { q: ['yes'] } },
    });
    await until('the answer', () => stored('request_resolved').length === 1);
    expect(one.session.answers).toEqual([{ requestId: 'r1', answers: { q: ['yes'] } }]);
    await rig.world.clock.advance(301_000);
    expect(await finished()).toMatchObject({ outcome: 'stalled', failureKind: 'turn_stalled' });
  });

  it('is not kept alive by statistics', async () => {
    hang();
    offer({ limits: { ...limits, agentStallMs: 60_000 } });
    const one = await turn();
    for (let at = 0; at < 8; at += 1) {
      one.say({ kind: 'stats', totals });
      await rig.world.clock.advance(10_000);
    }
    expect(await finished()).toMatchObject({ outcome: 'stalled', failureKind: 'agent_stalled' });
  });

  it('ends at its time limit whatever it does', async () => {
    hang();
    offer({ limits: { ...limits, attemptMs: 120_000, turnStallMs: 60_000 } });
    const one = await turn();
    for (let at = 0; at < 13; at += 1) {
      one.say({ kind: 'notice', level: 'info', message: 'busy' });
      await rig.world.clock.advance(10_000);
    }
    expect(await finished()).toMatchObject({ outcome: 'failed', failureKind: 'budget_exceeded' });
  });

  it('shows garbage lines without drowning in them', async () => {
    rig.world.engine.script = (one) => {
      for (let at = 0; at < 200; at += 1) one.say({ kind: 'garbage', sample: 'zzz', bytes: 3 });
      one.message('SWITCHYARD_STATUS: DONE');
      one.end();
    };
    offer();
    await finished();
    expect(payloads('log').filter(({ source }) => source === 'engine')).toHaveLength(50);
  });
});

describe('a code host', { timeout: 60_000 }, () => {
  it('that does not answer is the failure, and not the workspace', async () => {
    offer({ repository: { url: 'https://127.0.0.1:1/app.git' } });
    const finish = await finished();
    expect(finish).toMatchObject({
      outcome: 'failed',
      failureKind: 'provider_unreachable',
      upstream: 'codehost',
    });
    expect(finish.message).toContain('127.0.0.1');
  });

  it('that answers without the repository is a failure of the workspace', async () => {
    offer({ repository: { url: 'file:///nowhere/app.git' } });
    const finish = await finished();
    expect(finish).toMatchObject({ outcome: 'failed', failureKind: 'workspace_error' });
    expect(finish.upstream).toBeUndefined();
  });
});
