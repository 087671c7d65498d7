import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';
import { processLives } from '@switchyard/shared/host/process-lives';
import { afterEach, describe, expect, it } from 'vitest';
import type { ScriptedProvider } from '../../../control-plane/scripted-provider/scripted-provider.ts';
import {
  startScriptedProvider,
  type Script,
} from '../../../control-plane/scripted-provider/scripted-provider.ts';
import {
  applyPatch,
  exec,
  say,
  together,
  type Step,
} from '../../../control-plane/scripted-provider/step.ts';
import type {
  AgentEngine,
  EngineEvent,
  EngineItem,
} from '../../../runner/src/engine/agent-engine.ts';
import {
  type Bench,
  type BenchOptions,
  MODEL,
  collect,
  openBench,
  turnInput,
} from '../../../runner/src/engine/testing/engine-bench.ts';
import { startTinyToolServer } from '../../support/engines/tiny-tool-server.ts';
import { failContextLength, hang, refusal } from '../../support/scripted-model/faults.ts';
import { asksQuestion } from '../../support/scripted-model/scripts.ts';

/** What an engine does when its provider refuses: it ends the turn with a kind, or waits in silence. */
type AtRefusal = 'waits' | 'auth_failed' | 'usage_limited' | 'provider_unreachable' | 'agent_error';

export type EngineUnderTest = {
  engine: AgentEngine;
  /** Formats in which a whole turn is done; everything else is done in the first one. */
  wireApis: readonly [WireApi, ...WireApi[]];
  /** How long this engine's events are waited for, milliseconds. */
  patienceMs: number;
  refusals: Record<'unauthorized' | 'rateLimit' | 'serverError', AtRefusal>;
  /** It tells the exit codes of commands. */
  exitCodes: boolean;
};

/** No test for what an engine cannot do: a skipped one is always a missing part. */
const where = (capable: boolean): readonly string[] => (capable ? ['it can'] : []);

const TOKEN = 'proxy-token-of-the-attempt';
const WAIT_FOR_GO = 'while [ ! -e go ]; do sleep 0.05; done; echo went';
/** Ends by itself when the workspace is gone, because nobody ends it after a kill -9. */
const FOR_EVER = 'echo $$ > pid; while [ -e README.md ]; do sleep 0.1; done';
const EDIT = `*** Begin Patch
*** Update File: README.md
@@
-# Test
+# Tested
*** End Patch`;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const isCommand = (event: EngineEvent): boolean =>
  event.kind === 'item_started' && event.item.type === 'command';

function items(events: readonly EngineEvent[]): EngineItem[] {
  return events.flatMap((event) => (event.kind === 'item_ended' ? [event.item] : []));
}

const of = <T extends EngineItem['type']>(events: readonly EngineEvent[], type: T) =>
  items(events).filter((item): item is Extract<EngineItem, { type: T }> => item.type === type);

/** The contract of the engine port, with the same scripts for every engine. */
export function describeEngine(name: string, under: EngineUnderTest): void {
  const { engine, wireApis, patienceMs, refusals } = under;
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const clean of cleanups.splice(0).toReversed()) await clean();
  });

  const start = async (
    script: Script,
    options: Partial<BenchOptions> = {},
  ): Promise<{ bench: Bench; provider: ScriptedProvider }> => {
    const provider = await startScriptedProvider({ script });
    cleanups.push(() => provider.close());
    const given = { engine, providerUrl: provider.url, wireApi: wireApis[0], token: TOKEN };
    const bench = await openBench({ ...given, patienceMs, ...options });
    cleanups.push(() => bench.dispose());
    return { bench, provider };
  };

  const eventually = (message: string, holds: () => boolean) =>
    expect.poll(holds, { message, timeout: patienceMs }).toBe(true);
  const pidOf = async ({ workspacePath }: Bench): Promise<number> => {
    const path = join(workspacePath, 'pid');
    await eventually(
      'the command runs',
      () => existsSync(path) && readFileSync(path, 'utf8') !== '',
    );
    return Number(readFileSync(path, 'utf8'));
  };
  const restarted = async ({ process, journal, workspacePath }: Bench, threadId: string) => {
    const stdio = process.attach();
    const session = await engine.open({ stdio, journal, adopted: true, threadId, workspacePath });
    cleanups.push(() => session.close());
    return { session, ...collect(session, patienceMs) };
  };

  describe(`the engine ${name}`, { timeout: 4 * patienceMs }, () => {
    it.each(wireApis)(
      'runs a command, edits a file and says that it is done (%s)',
      async (wireApi) => {
        const look = exec(`echo hello; env | grep -c ${TOKEN}; exit 3`);
        const script = [look, applyPatch(EDIT), say('All good.\n\nSWITCHYARD_STATUS: DONE')];
        const { bench, provider } = await start(script, { wireApi });
        expect(bench.session.engineVersion).toMatch(/^\d+\.\d+\.\d+/);
        await bench.startThread();
        const ended = await bench.runTurn('Do it.');
        expect(ended).toMatchObject({ status: 'completed' });
        expect(readFileSync(join(bench.workspacePath, 'README.md'), 'utf8')).toBe('# Tested\n');
        expect(new Set(provider.requests.map(({ keySha256 }) => keySha256))).toEqual(
          new Set([sha256(TOKEN)]),
        );
        const [command] = of(bench.events, 'command');
        expect(command?.command).toContain('echo hello');
        expect(command?.output).toMatch(/hello\n0/);
        expect(command?.exitCode).toBe(under.exitCodes ? 3 : undefined);
        const changes = of(bench.events, 'file_change').flatMap((item) => item.changes);
        expect(changes.map(({ path }) => path)).toContain('README.md');
        expect(changes.map(({ diff }) => diff ?? '').join('\n')).toContain('+# Tested');
        expect(of(bench.events, 'message').at(-1)?.text).toMatch(/SWITCHYARD_STATUS: DONE$/);
        const [began] = bench.events.filter(({ kind }) => kind === 'turn_started');
        expect(began).toMatchObject({ turnId: ended.turnId });
        expect(bench.events.filter(({ kind }) => kind === 'garbage')).toEqual([]);
      },
    );

    it('kills the running command when it is interrupted, and goes on in a further turn', async () => {
      const { bench } = await start([exec(FOR_EVER), say('Next.'), say('Next.')]);
      await bench.startThread();
      const turnId = await bench.startTurn('begin');
      const pid = await pidOf(bench);
      await bench.session.interrupt();
      expect(await bench.untilTurnEnds(turnId)).toMatchObject({ status: 'interrupted' });
      await eventually('the command is gone', () => !processLives(pid));
      await bench.session.interrupt();
      expect(await bench.runTurn('once more')).toMatchObject({ status: 'completed' });
    });

    it('can be interrupted while its provider is silent', async () => {
      const { bench, provider } = await start([hang('headers'), say('Next.'), say('Next.')]);
      await bench.startThread();
      const turnId = await bench.startTurn('begin');
      await eventually('the call arrived', () => provider.requests.length > 0);
      await bench.session.interrupt();
      expect(await bench.untilTurnEnds(turnId)).toMatchObject({ status: 'interrupted' });
      expect(await bench.runTurn('once more')).toMatchObject({ status: 'completed' });
    });

    it('takes a person’s words into the running turn, or says that it does not', async () => {
      const { bench, provider } = await start([exec(WAIT_FOR_GO), say('Understood.')]);
      await bench.startThread();
      expect(await bench.session.steer(turnInput('too early'))).toBe('no_turn');
      const turnId = await bench.startTurn('begin');
      await bench.until('the command', isCommand);
      const input = turnInput('Please use tabs.');
      const joins = engine.capabilities.steering === 'joins';
      expect(await bench.session.steer(input)).toBe(joins ? 'joined' : 'queued');
      writeFileSync(join(bench.workspacePath, 'go'), '');
      expect(await bench.untilTurnEnds(turnId)).toMatchObject({ status: 'completed' });
      const told = provider.requests.at(-1)?.userTexts.join('\n') ?? '';
      expect(told.includes('Please use tabs.')).toBe(joins);
      const echo = { type: 'user_message', text: input.text, clientId: input.clientMessageId };
      expect(
        items(bench.events).some(
          (item) => item.type === 'user_message' && item.clientId === echo.clientId,
        ),
      ).toBe(joins);
      expect(await bench.session.steer(turnInput('too late'))).toBe('no_turn');
      expect(bench.events.filter(({ kind }) => kind === 'turn_ended')).toHaveLength(1);
    });

    it.each(where(engine.capabilities.questions))(
      'asks the person and goes on with the answer, as %s',
      async () => {
        const { bench } = await start(asksQuestion);
        await bench.startThread();
        const turnId = await bench.startTurn('make a button');
        const request = await bench.until('the question', ({ kind }) => kind === 'request');
        if (request.kind !== 'request') throw new Error('not a question');
        const [question] = request.questions;
        expect(question?.options.map(({ label }) => label)).toEqual(['Blue', 'Green']);
        expect(await bench.session.answer('unknown', {})).toBe(false);
        const answers = { [question?.id ?? '']: ['Green'] };
        expect(await bench.session.answer(request.requestId, answers)).toBe(true);
        expect(await bench.session.answer(request.requestId, answers)).toBe(false);
        expect(await bench.untilTurnEnds(turnId)).toMatchObject({ status: 'completed' });
        expect(readFileSync(join(bench.workspacePath, 'colour.txt'), 'utf8')).toBe('Green\n');
      },
    );

    it.each(where(engine.capabilities.resume))(
      'resumes a thread in a fresh process, after a kill in the middle of a turn, as %s',
      async () => {
        const { bench: first } = await start([say('The answer is 42.'), exec(FOR_EVER)]);
        const threadId = await first.startThread();
        await first.runTurn('Remember the answer.');
        await first.startTurn('Now wait.');
        await pidOf(first);
        await first.process.dispose();
        const { bench, provider } = await start([say('Still 42.')], {
          sessionsFrom: first.sessionsPath,
          workspacePath: first.workspacePath,
        });
        const cwd = bench.workspacePath;
        const resumed = await bench.session.resumeThread({ threadId, cwd, model: MODEL });
        expect(resumed).toEqual({ threadId, resumed: true });
        expect(await bench.runTurn('What was the answer?')).toMatchObject({ status: 'completed' });
        const told = JSON.stringify(provider.requests.at(-1)?.input);
        expect(told).toContain('Remember the answer.');
        expect(told).toContain('The answer is 42.');
        expect(of(bench.events, 'message').map(({ text }) => text)).toEqual(['Still 42.']);
      },
    );

    it('begins a new thread in place of one that it does not know, and says so', async () => {
      const { bench } = await start([say('Fresh.')]);
      const threadId = '01a1fb3b-b833-7711-9291-cc1e0884ae2f';
      const cwd = bench.workspacePath;
      const opened = await bench.session.resumeThread({ threadId, cwd, model: MODEL });
      expect(opened.resumed).toBe(false);
      expect(opened.threadId).not.toBe(threadId);
      const notice = await bench.until('a notice', ({ kind }) => kind === 'notice');
      expect(notice).toMatchObject({ message: expect.stringContaining('cannot be resumed') });
      expect(await bench.runTurn('begin')).toMatchObject({ status: 'completed' });
    });

    it('begins a second thread in the same process', async () => {
      const { bench, provider } = await start(() => say('Here.'));
      const first = await bench.startThread();
      await bench.runTurn('The first word.');
      const second = await bench.startThread();
      expect(second).not.toBe(first);
      expect(await bench.runTurn('The second word.')).toMatchObject({ status: 'completed' });
      expect(provider.requests.at(-1)?.userTexts.join('\n')).not.toContain('The first word.');
    });

    it('is adopted in the middle of a turn: nothing is lost, and a further turn follows', async () => {
      const script = [exec(WAIT_FOR_GO), say('Done waiting.'), say('And again.')];
      const { bench } = await start(script);
      const threadId = await bench.startThread();
      const turnId = await bench.startTurn('begin');
      await bench.until('the command', isCommand);
      bench.session.close();
      await appendFile(join(bench.process.stdoutPath, '..', 'stdin'), '{"id":77,"method":"tu');
      const { session, events, until } = await restarted(bench, threadId);
      expect(session.engineVersion).toBe(bench.session.engineVersion);
      writeFileSync(join(bench.workspacePath, 'go'), '');
      const ended = await until('the end of the turn', ({ kind }) => kind === 'turn_ended');
      expect(ended).toMatchObject({ turnId, status: 'completed' });
      const all = [...bench.events, ...events];
      expect(all.filter(({ kind }) => kind === 'turn_started')).toHaveLength(1);
      expect(of(all, 'command').map(({ command }) => command)).toEqual([
        expect.stringContaining('while'),
      ]);
      expect(of(all, 'message').map(({ text }) => text)).toEqual(['Done waiting.']);
      const next = await session.startTurn(turnInput('once more'), { model: MODEL });
      await until('the next end', (e) => e.kind === 'turn_ended' && e.turnId === next.turnId);
      expect(of(events, 'message').at(-1)?.text).toBe('And again.');
    });

    it('is interrupted by the process that adopted it', async () => {
      const { bench } = await start([exec(FOR_EVER), say('Next.')]);
      const threadId = await bench.startThread();
      await bench.startTurn('begin');
      const pid = await pidOf(bench);
      bench.session.close();
      const { session, until } = await restarted(bench, threadId);
      await session.interrupt();
      const ended = await until('the end of the turn', ({ kind }) => kind === 'turn_ended');
      expect(ended).toMatchObject({ status: 'interrupted' });
      await eventually('the command is gone', () => !processLives(pid));
    });

    const refused: readonly [string, Step, AtRefusal][] = [
      ['a wrong key', refusal('unauthorized'), refusals.unauthorized],
      ['a limit for two hours', refusal('rate_limit', { retryAfterS: 7_200 }), refusals.rateLimit],
      ['an error of its own', refusal('server_error'), refusals.serverError],
    ];
    it.each(refused)('is told of %s', async (_name, step, at) => {
      const { bench, provider } = await start(() => step);
      await bench.startThread();
      const turnId = await bench.startTurn('begin');
      await eventually('the call arrived', () => provider.requests.length > 0);
      // What waits in silence is interrupted from outside, by what the model proxy saw.
      if (at === 'waits') await bench.session.interrupt();
      const ended = await bench.untilTurnEnds(turnId);
      const failed = { status: 'failed', failure: { kind: at } };
      expect(ended).toMatchObject(at === 'waits' ? { status: 'interrupted' } : failed);
      provider.setScript(() => say('Back.'));
      expect(await bench.runTurn('again')).toMatchObject({ status: 'completed' });
    });

    it('ends a turn whose conversation is too long as that', async () => {
      const { bench } = await start(() => failContextLength());
      await bench.startThread();
      const ended = await bench.runTurn('begin');
      expect(ended).toMatchObject({ status: 'failed', failure: { kind: 'context_exceeded' } });
    });

    it('uses the tools of the attempt', async () => {
      const tool = { type: 'tool' as const, name: 'weather_api', arguments: { city: 'Rome' } };
      const script = [{ outputs: [tool] }, say('Sunny.')];
      const tools = await startTinyToolServer();
      cleanups.push(() => tools.close());
      const native: unknown[] = [];
      const inputSchema = { type: 'object', properties: { city: { type: 'string' } } };
      const { bench, provider } = await start(
        script,
        engine.tools === 'mcp'
          ? { toolServer: tools.server }
          : {
              tools: [{ name: 'weather_api', description: 'Tells the weather.', inputSchema }],
              callTool: async (call) => {
                native.push(call);
                return { success: true, text: 'Sunny in Rome.' };
              },
            },
      );
      await bench.startThread();
      expect(await bench.runTurn('weather?')).toMatchObject({ status: 'completed' });
      expect(provider.requests.at(-1)?.toolOutputs.join()).toContain('Sunny in Rome.');
      const call = { tool: 'weather_api', arguments: { city: 'Rome' } };
      const overHttp = { ...call, authorization: 'Bearer tool-token' };
      const isNative = engine.tools === 'native';
      expect([native, tools.calls]).toEqual(isNative ? [[call], []] : [[], [overHttp]]);
      expect(of(bench.events, 'tool_call')).toEqual([
        expect.objectContaining({
          tool: expect.stringContaining('weather_api'),
          status: 'completed',
        }),
      ]);
    });

    it('shows thoughts and texts as they come', async () => {
      const thought = { type: 'reasoning' as const, text: 'I should greet before I answer.' };
      const { bench } = await start([
        together({ outputs: [thought] }, say('Good morning to you.')),
      ]);
      await bench.startThread();
      expect(await bench.runTurn('hello')).toMatchObject({ status: 'completed' });
      expect(of(bench.events, 'reasoning').map(({ text }) => text)).toEqual([thought.text]);
      const deltas = bench.events.flatMap((event) =>
        event.kind === 'delta' && event.stream === 'message' ? [event.text] : [],
      );
      expect(deltas.join('')).toBe('Good morning to you.');
    });
  });
}
