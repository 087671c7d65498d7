import { processLives } from '@switchyard/shared/host/process-lives';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  failingTestIssue,
  failingTestProject,
} from '../../../../../control-plane/scripted-provider/failing-test-project.ts';
import { fixFailingTest } from '../../../../../control-plane/scripted-provider/ready-scripts.ts';
import { asksQuestion } from '../../../../../test/support/scripted-model/scripts.ts';
import { exec, say, together } from '../../../../../control-plane/scripted-provider/step.ts';
import {
  cut,
  endless,
  fail,
  failContextLength,
  failUnauthorized,
  failUsageLimit,
  garbage,
  hang,
} from '../../../../../test/support/scripted-model/faults.ts';
import type { EngineEvent } from '../../agent-engine.ts';
import { git, turnInput } from '../../testing/engine-bench.ts';
import { engineFixture } from '../testing/engine-fixture.ts';
import { UsageMeter } from '../../../attempt/progress/usage-meter.ts';

const fixture = engineFixture();
afterEach(() => fixture.dispose());

/** A command that runs until the test creates a file named `go` in the workspace. */
const WAIT_FOR_GO = 'echo waiting; while [ ! -e go ]; do sleep 0.05; done; echo went';

const isRunningCommand = (event: EngineEvent): boolean =>
  event.kind === 'item_started' && event.item.type === 'command';

function messages(events: readonly EngineEvent[]): string[] {
  return events.flatMap((event) =>
    event.kind === 'item_ended' && event.item.type === 'message' ? [event.item.text] : [],
  );
}

const eventually = (message: string, holds: () => boolean) =>
  expect.poll(holds, { message, timeout: 5_000 }).toBe(true);

describe('a turn of the real engine', { timeout: 20_000 }, () => {
  it('repairs a project and says that it is done', async () => {
    const { bench, provider } = await fixture.start(fixFailingTest(), {
      files: failingTestProject,
      token: 'token-of-the-attempt',
    });
    expect(bench.session.engineVersion).toMatch(/^\d+\.\d+\.\d+$/);
    await bench.startThread();
    const turnId = await bench.startTurn(failingTestIssue.description);
    const ended = await bench.untilTurnEnds();
    expect(ended).toEqual({ kind: 'turn_ended', turnId, status: 'completed' });
    expect(messages(bench.events).at(-1)?.split('\n').at(-1)).toBe('SWITCHYARD_STATUS: DONE');
    expect(git(bench.workspacePath, 'diff', '--name-only')).toBe('src/format-duration.js\n');
    const tests = spawnSync('node', ['--test'], { cwd: bench.workspacePath });
    expect(tests.status).toBe(0);
    expect(provider.requests[0]?.toolNames).toContain('apply_patch');
    expect(bench.events.filter(({ kind }) => kind === 'notice')).toEqual([]);
    const stats = bench.events.findLast((event) => event.kind === 'stats');
    expect(stats?.totals).toMatchObject({ input: 33_870, output: 610, total: 34_480 });
  });

  it('gives the proxy token to the provider call and not to commands', async () => {
    const script = [exec('env | grep -c proxy-token; true'), say('Looked.')];
    const { bench, provider } = await fixture.start(script);
    await bench.startThread();
    await bench.startTurn('look');
    await bench.untilTurnEnds();
    expect(provider.requests[0]?.authorizationSha256).toMatch(/^[0-9a-f]{64}$/);
    expect(provider.requests[1]?.toolOutputs[0]).toMatch(/Output:\n0\n?$/);
  });

  it('reads the repository’s instructions and does not let its settings undo ours', async () => {
    const settings = `model_provider = "other"
sandbox_mode = "read-only"
[features]
default_mode_request_user_input = false
[agents]
enabled = true
[shell_environment_policy]
exclude = []
`;
    const files = { 'AGENTS.md': 'Always use tabs.\n', '.codex/config.toml': settings };
    const look = exec('touch written; env | grep -c proxy-token; true');
    const given = { files, repositorySettings: true };
    const { bench, provider } = await fixture.start([look, say('Looked.')], given);
    await bench.startThread();
    await bench.startTurn('look');
    expect((await bench.untilTurnEnds()).status).toBe('completed');
    const [first, second] = provider.requests;
    expect(first?.userTexts.join('\n')).toContain('Always use tabs.');
    expect(first?.toolNames).toContain('request_user_input');
    expect(first?.toolNames).not.toContain('multi_agent_v1');
    expect(second?.toolOutputs[0]).toMatch(/Output:\n0\n?$/);
    expect(existsSync(join(bench.workspacePath, 'written'))).toBe(true);
  });

  it('ignores what the repository sets for the engine unless that is allowed', async () => {
    const settings = `developer_instructions = "Always use spaces."
[mcp_servers.own]
command = "/bin/sh"
args = ["-c", "touch started"]
[shell_environment_policy]
set = { OWN_VALUE = "set" }
`;
    const files = { 'AGENTS.md': 'Always use tabs.\n', '.codex/config.toml': settings };
    const look = () => [exec('echo "own: $OWN_VALUE"'), say('Looked.')];
    const seen: { told: string; output: string; started: boolean }[] = [];
    for (const repositorySettings of [false, true]) {
      const given = { files, repositorySettings, instructions: files['AGENTS.md'] };
      const { bench, provider } = await fixture.start(look(), given);
      await bench.startThread();
      await bench.startTurn('look');
      expect((await bench.untilTurnEnds()).status).toBe('completed');
      const [first, second] = provider.requests;
      const started = (): boolean => existsSync(join(bench.workspacePath, 'started'));
      if (repositorySettings) await eventually('its program was started', started);
      const output = second?.toolOutputs.join() ?? '';
      seen.push({ told: JSON.stringify(first), output, started: started() });
    }
    const [ignored, used] = seen;
    expect(ignored?.told).toContain('Always use tabs.');
    expect(ignored?.told).not.toContain('Always use spaces.');
    expect(ignored?.output).toContain('own: \n');
    expect(used?.told).toContain('Always use tabs.');
    expect(used?.told).toContain('Always use spaces.');
    expect(used?.output).toContain('own: set');
    expect([ignored?.started, used?.started]).toEqual([false, true]);
  });

  it('takes a steering message into the running turn', async () => {
    const { bench, provider } = await fixture.start([exec(WAIT_FOR_GO), say('Understood.')]);
    await bench.startThread();
    expect(await bench.session.steer(turnInput('too early'))).toBe('no_turn');
    await bench.startTurn('begin');
    await bench.until('the command', isRunningCommand);
    const input = turnInput('Please use tabs.');
    expect(await bench.session.steer(input)).toBe('joined');
    writeFileSync(join(bench.workspacePath, 'go'), '');
    const ended = await bench.untilTurnEnds();
    expect(ended.status).toBe('completed');
    expect(provider.requests[1]?.userTexts.at(-1)).toBe('Please use tabs.');
    const item = { type: 'user_message', text: input.text, clientId: input.clientMessageId };
    expect(bench.events).toContainEqual(expect.objectContaining({ kind: 'item_ended', item }));
    expect(await bench.session.steer(turnInput('too late'))).toBe('no_turn');
  });

  it('kills the running command when it is interrupted', async () => {
    const { bench } = await fixture.start([exec('echo $$ > pid; exec sleep 300'), say('no')]);
    await bench.startThread();
    await bench.startTurn('begin');
    const pidPath = join(bench.workspacePath, 'pid');
    await eventually(
      'the command runs',
      () => existsSync(pidPath) && readFileSync(pidPath, 'utf8') !== '',
    );
    const pid = Number(readFileSync(pidPath, 'utf8'));
    expect(processLives(pid)).toBe(true);
    await bench.session.interrupt();
    expect((await bench.untilTurnEnds()).status).toBe('interrupted');
    await eventually('the command is gone', () => !processLives(pid));
    await bench.session.interrupt();
  });

  it('asks the person and goes on with the answer', async () => {
    const { bench } = await fixture.start(asksQuestion);
    await bench.startThread();
    const turnId = await bench.startTurn('make a button');
    const request = await bench.until('the question', ({ kind }) => kind === 'request');
    if (request.kind !== 'request') throw new Error('not a question');
    expect(request).toMatchObject({ turnId, questions: [{ id: 'colour', isSecret: false }] });
    expect(request.questions[0]?.options.map(({ label }) => label)).toEqual(['Blue', 'Green']);
    expect(await bench.session.answer('unknown', { colour: ['Red'] })).toBe(false);
    expect(await bench.session.answer(request.requestId, { colour: ['Green'] })).toBe(true);
    expect(await bench.session.answer(request.requestId, { colour: ['Blue'] })).toBe(false);
    expect((await bench.untilTurnEnds()).status).toBe('completed');
    expect(readFileSync(join(bench.workspacePath, 'colour.txt'), 'utf8')).toBe('Green\n');
    const { requestId } = request;
    expect(bench.events.filter(({ kind }) => kind === 'request_resolved')).toEqual([
      { kind: 'request_resolved', requestId },
    ]);
  });
});

describe('a provider that fails', { timeout: 20_000 }, () => {
  const resetAtMs = Math.ceil(Date.now() / 1000) * 1000 + 3_600_000;
  const cases = [
    { name: 'a wrong key', step: failUnauthorized(), failure: { kind: 'auth_failed' } },
    {
      name: 'a used-up account',
      step: failUsageLimit(resetAtMs),
      failure: { kind: 'usage_limited', resetAtMs },
    },
    { name: 'too many requests', step: fail(429), failure: { kind: 'usage_limited' } },
    { name: 'an error of its own', step: fail(500), failure: { kind: 'provider_unreachable' } },
    { name: 'a bad request', step: fail(400), failure: { kind: 'agent_error' } },
    { name: 'a full context', step: failContextLength(), failure: { kind: 'context_exceeded' } },
    { name: 'a cut stream', step: cut(), failure: { kind: 'provider_unreachable' } },
    { name: 'garbage', step: garbage(), failure: { kind: 'provider_unreachable' } },
    {
      name: 'silence in the stream',
      step: together(say('Hm'), hang('end')),
      failure: { kind: 'provider_unreachable' },
    },
  ];

  it('is told apart by what went wrong', async () => {
    const script = cases.map(({ step }) => step);
    const { bench } = await fixture.start(script);
    await bench.startThread();
    for (const { name, failure } of cases) {
      const turnId = await bench.startTurn(name);
      const ended = await bench.until(
        `the end of ${name}`,
        (event) => event.kind === 'turn_ended' && event.turnId === turnId,
      );
      expect({ name, ended }).toMatchObject({ name, ended: { status: 'failed', failure } });
    }
  });

  it('with a full context invents no tokens, and what is used after it is counted', async () => {
    const script = [say('One'), failContextLength(), say('Two')];
    const { bench } = await fixture.start(script);
    await bench.startThread();
    for (const text of ['one', 'overflow', 'two']) {
      const turnId = await bench.startTurn(text);
      await bench.until(
        `the end of ${text}`,
        (event) => event.kind === 'turn_ended' && event.turnId === turnId,
      );
    }
    const meter = new UsageMeter(undefined);
    meter.threadStarted(false);
    const told = bench.events.flatMap((event) => (event.kind === 'stats' ? [event] : []));
    const used = told.map(({ totals, last }) => meter.note(totals, last).own.total);
    const each = told.map(({ last }) => last?.total ?? 0);
    expect(used.at(-1)).toBe((each[0] ?? 0) + (each.at(-1) ?? 0));
    expect(used.at(-1)).toBeLessThan(100_000);
    expect(each[0]).toBeGreaterThan(0);
  });

  it('can be interrupted while it is silent or never ends', async () => {
    const { bench, provider } = await fixture.start([hang('headers'), endless()]);
    await bench.startThread();
    for (const calls of [1, 2]) {
      const turnId = await bench.startTurn('begin');
      await eventually('the call arrived', () => provider.requests.length === calls);
      await bench.session.interrupt();
      const ended = await bench.until(
        'the end',
        (event) => event.kind === 'turn_ended' && event.turnId === turnId,
      );
      expect(ended).toMatchObject({ status: 'interrupted' });
    }
  });

  it('that cannot be reached at all ends the turn', async () => {
    const { bench } = await fixture.start([], { providerUrl: 'http://127.0.0.1:9/v1' });
    await bench.startThread();
    await bench.startTurn('begin');
    const ended = await bench.untilTurnEnds();
    expect(ended.failure?.kind).toBe('provider_unreachable');
  });
});
