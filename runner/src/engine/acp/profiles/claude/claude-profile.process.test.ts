import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  failingTestIssue,
  failingTestProject,
} from '../../../../../../control-plane/scripted-provider/failing-test-project.ts';
import { fixFailingTest } from '../../../../../../control-plane/scripted-provider/ready-scripts.ts';
import {
  type Script,
  type ScriptedProvider,
  startScriptedProvider,
} from '../../../../../../control-plane/scripted-provider/scripted-provider.ts';
import { exec, say } from '../../../../../../control-plane/scripted-provider/step.ts';
import { refusal } from '../../../../../../test/support/scripted-model/faults.ts';
import { asksQuestion } from '../../../../../../test/support/scripted-model/scripts.ts';
import type { EngineEvent } from '../../../agent-engine.ts';
import { hostProgram } from '../../../parts/host-program.ts';
import {
  type Bench,
  type BenchOptions,
  git,
  openBench,
  turnInput,
} from '../../../testing/engine-bench.ts';
import { createAcpEngine } from '../../acp-engine.ts';
import { claudeProfile } from './claude-profile.ts';

const TIMEOUT_MS = 60_000;
const isHere = hostProgram('claude') !== null;
const skipped = isHere ? '' : ' (skipped: run "switchyard engine install claude")';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

async function start(
  script: Script,
  options: Partial<BenchOptions> = {},
): Promise<{ bench: Bench; provider: ScriptedProvider }> {
  const provider = await startScriptedProvider({ script, apiKey: 'token-of-the-attempt' });
  open.push(() => provider.close());
  const bench = await openBench({
    engine: createAcpEngine(claudeProfile),
    providerUrl: provider.url,
    wireApi: 'messages',
    token: 'token-of-the-attempt',
    ...options,
  });
  open.push(() => bench.dispose());
  return { bench, provider };
}

const isEnd = (event: EngineEvent): boolean => event.kind === 'turn_ended';

describe.skipIf(!isHere)(`Claude Code${skipped}`, { timeout: 2 * TIMEOUT_MS }, () => {
  it('repairs a project, and asks no model but for its work', async () => {
    const { bench, provider } = await start(fixFailingTest(), { files: failingTestProject });
    await bench.startThread();
    await bench.startTurn(failingTestIssue.description);
    expect(await bench.until('the end', isEnd, TIMEOUT_MS)).toMatchObject({ status: 'completed' });
    const messages = bench.events.flatMap((event) =>
      event.kind === 'item_ended' && event.item.type === 'message' ? [event.item.text] : [],
    );
    expect(messages.at(-1)).toMatch(/SWITCHYARD_STATUS: DONE$/);
    expect(git(bench.workspacePath, 'diff', '--name-only')).toBe('src/format-duration.js\n');
    const changes = bench.events.flatMap((event) =>
      event.kind === 'item_ended' && event.item.type === 'file_change' ? event.item.changes : [],
    );
    expect(changes.map(({ path }) => path)).toContain('src/format-duration.js');
    expect(bench.events.filter(({ kind }) => kind === 'notice')).toEqual([]);
    expect(provider.requests.map(({ stepIndex, isSide }) => (isSide ? 'side' : stepIndex))).toEqual(
      [0, 1, 2, 3, 4, 5],
    );
  });

  it('tells its plan, with a model that it does not know', async () => {
    const [done, open] = ['Read the code', 'Finish second.txt'].map((content, index) => ({
      content,
      activeForm: content,
      status: index === 0 ? 'completed' : 'in_progress',
    }));
    const plan = { type: 'tool' as const, name: 'TodoWrite', arguments: { todos: [done, open] } };
    const { bench } = await start([{ outputs: [plan] }, say('Planned.')]);
    await bench.startThread();
    await bench.startTurn('plan');
    await bench.until('the end', isEnd, TIMEOUT_MS);
    const plans = bench.events.flatMap((event) =>
      event.kind === 'item_ended' && event.item.type === 'plan' ? [event.item.text] : [],
    );
    expect(plans).toEqual(['[completed] Read the code\n[in_progress] Finish second.txt']);
  });

  it('hides the token from the commands of the agent', async () => {
    const look = exec('env | grep -c token-of-the-attempt; true');
    const { bench, provider } = await start([look, say('Looked.')]);
    await bench.startThread();
    await bench.startTurn('look');
    await bench.until('the end', isEnd, TIMEOUT_MS);
    expect(provider.requests.at(-1)?.toolOutputs.at(-1)).toMatch(/^0\b/);
  });

  it('runs nothing that a repository sets, and hears its instructions', async () => {
    const hook = { hooks: [{ type: 'command', command: 'touch hooked' }] };
    const settings = {
      hooks: { SessionStart: [hook], PreToolUse: [{ matcher: '*', ...hook }] },
      apiKeyHelper: 'touch helped; echo other-key',
      env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' },
      permissions: { defaultMode: 'plan' },
    };
    const server = { command: 'sh', args: ['-c', 'touch served'] };
    const files = {
      'CLAUDE.md': 'Always use tabs.\n',
      '.claude/settings.json': JSON.stringify(settings),
      '.mcp.json': JSON.stringify({ mcpServers: { own: server } }),
    };
    const given = { files, instructions: files['CLAUDE.md'] };
    const { bench, provider } = await start([exec('echo it ran'), say('Looked.')], given);
    await bench.startThread();
    await bench.startTurn('look');
    expect(await bench.until('the end', isEnd, TIMEOUT_MS)).toMatchObject({ status: 'completed' });
    for (const name of ['hooked', 'helped', 'served']) {
      expect(existsSync(join(bench.workspacePath, name)), name).toBe(false);
    }
    const [first, last] = [provider.requests[0], provider.requests.at(-1)];
    expect(first?.systemText).toContain('Always use tabs.');
    expect(last?.toolOutputs.join()).toContain('it ran');
  });

  it('goes on with a stored thread in a fresh home, and keeps no key with it', async () => {
    const first = await start([exec('echo first'), say('One.')]);
    const threadId = await first.bench.startThread();
    await first.bench.startTurn('remember the word heron');
    await first.bench.until('the end', isEnd, TIMEOUT_MS);
    await first.bench.process.dispose();
    expect(readdirSync(first.bench.sessionsPath).filter((name) => name.endsWith('.key'))).toEqual(
      [],
    );
    const sessionsFrom = first.bench.sessionsPath;
    const { bench, provider } = await start([say('Two.')], { sessionsFrom });
    const cwd = bench.workspacePath;
    const resumed = await bench.session.resumeThread({ threadId, cwd, model: 'scripted-model' });
    expect(resumed).toEqual({ threadId, resumed: true });
    await bench.startTurn('which word?');
    expect(await bench.until('the end', isEnd, TIMEOUT_MS)).toMatchObject({ status: 'completed' });
    expect(provider.requests.at(-1)?.userTexts.join('\n')).toContain('heron');
  });

  it('takes words into a running turn, and can be interrupted', async () => {
    const wait = 'echo waiting; while [ ! -e go ]; do sleep 0.05; done; echo went';
    const { bench, provider } = await start([exec(wait), say('Done.')]);
    await bench.startThread();
    await bench.startTurn('wait');
    const isCommand = (event: EngineEvent) =>
      event.kind === 'item_started' && event.item.type === 'command';
    await bench.until('the command', isCommand, TIMEOUT_MS);
    expect(await bench.session.steer(turnInput('prefer herons'))).toBe('joined');
    await bench.session.interrupt();
    expect(await bench.until('the end', isEnd, TIMEOUT_MS)).toMatchObject({
      status: 'interrupted',
    });
    expect(provider.requests.length).toBeLessThan(3);
  });

  it('asks the person and goes on with the answer', async () => {
    const { bench } = await start(asksQuestion);
    await bench.startThread();
    await bench.startTurn('ask');
    const asked = await bench.until('the question', ({ kind }) => kind === 'request', TIMEOUT_MS);
    if (asked.kind !== 'request') throw new Error('not a question');
    const [question] = asked.questions;
    expect(question?.question).toContain('colour');
    expect(question?.options.map(({ label }) => label)).toEqual(['Blue', 'Green']);
    await bench.session.answer(asked.requestId, { [question?.id ?? '']: ['Green'] });
    await bench.until('the end', isEnd, TIMEOUT_MS);
    expect(bench.events.filter(({ kind }) => kind === 'request_resolved')).toHaveLength(1);
  });

  it('gives up soon where the provider refuses the key', async () => {
    const { bench, provider } = await start(() => refusal('unauthorized'));
    await bench.startThread();
    await bench.session.startTurn(turnInput('go'), { model: 'scripted-model' });
    const ended = await bench.until('the end', isEnd, TIMEOUT_MS);
    expect(ended).toMatchObject({ status: 'failed', failure: { kind: 'auth_failed' } });
    expect(provider.requests.length).toBeLessThan(5);
  });
});
