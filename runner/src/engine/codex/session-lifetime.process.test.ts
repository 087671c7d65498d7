import { readFileSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { asksQuestion } from '../../../../test/support/scripted-model/scripts.ts';
import { exec, say } from '../../../../control-plane/scripted-provider/step.ts';
import type { EngineEvent, EngineStdio } from '../agent-engine.ts';
import { MODEL, collect, turnInput } from '../testing/engine-bench.ts';
import { quickEngine } from './testing/quick-engine.ts';
import { engineFixture } from './testing/engine-fixture.ts';
import { memoryJournal } from '../session/memory-journal.ts';
import { startEngineProcess } from '../testing/engine-process.ts';

const fixture = engineFixture();
afterEach(() => fixture.dispose());

const WAIT_FOR_GO = 'while [ ! -e go ]; do sleep 0.05; done; echo went';

/** Ends by itself when the workspace is gone, because nobody ends it after a kill -9. */
const FOR_EVER = 'while [ -e README.md ]; do sleep 0.1; done';

const isCommand = (event: EngineEvent): boolean =>
  event.kind === 'item_started' && event.item.type === 'command';

/** Item boundaries and turn ends in order: what must be neither lost nor repeated. */
function milestones(events: readonly EngineEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.kind === 'item_started' || event.kind === 'item_ended') {
      return [`${event.kind} ${event.item.type}`];
    }
    return event.kind === 'turn_started' || event.kind === 'turn_ended' ? [event.kind] : [];
  });
}

describe('the end of the engine', { timeout: 20_000 }, () => {
  it('is noticed, with the reason, and invents no end of the turn', async () => {
    const { bench } = await fixture.start([exec(FOR_EVER)]);
    await bench.startThread();
    await bench.startTurn('begin');
    await bench.until('the command', isCommand);
    bench.process.kill('SIGSTOP');
    const inFlight = bench.session.steer(turnInput('hello'));
    bench.process.kill('SIGKILL');
    await expect(inFlight).rejects.toThrow('the engine ended by signal SIGKILL');
    const later = bench.until('an end', ({ kind }) => kind === 'turn_ended');
    await expect(later).rejects.toThrow('the session ended before an end');
    await expect(bench.session.interrupt()).rejects.toThrow('SIGKILL');
  });

  it('before it is ready rejects the opening', async () => {
    const process = startEngineProcess(['/bin/sh', '-c', 'exit 3'], {}, '/');
    fixture.onDispose(() => process.dispose());
    const stdio = process.attach();
    const opening = quickEngine.open({ stdio, journal: memoryJournal(), adopted: false });
    await expect(opening).rejects.toThrow('the engine ended with exit code 3');
  });
});

describe('a resumed thread', { timeout: 20_000 }, () => {
  it('needs only the sessions folder, also after a kill in the middle of a turn', async () => {
    const { bench: first } = await fixture.start([say('The answer is 42.'), exec(FOR_EVER)]);
    const threadId = await first.startThread();
    await first.startTurn('Remember the answer.');
    await first.untilTurnEnds();
    await first.startTurn('Now wait.');
    await first.until('the command', isCommand);
    await first.process.dispose();

    const { bench, provider } = await fixture.start([say('Still 42.')], {
      sessionsFrom: first.sessionsPath,
    });
    const cwd = bench.workspacePath;
    const resumed = await bench.session.resumeThread({ threadId, cwd, model: MODEL });
    expect(resumed).toEqual({ threadId, resumed: true });
    await bench.startTurn('What was the answer?');
    expect((await bench.untilTurnEnds()).status).toBe('completed');
    expect(provider.requests[0]?.userTexts).toContain('Remember the answer.');
    expect(JSON.stringify(provider.requests[0]?.input)).toContain('The answer is 42.');
  });

  it('that is unknown becomes a new one, and says so', async () => {
    const { bench } = await fixture.start([say('Fresh.')]);
    const threadId = '01a1fb3b-b833-7711-9291-cc1e0884ae2f';
    const cwd = bench.workspacePath;
    const opened = await bench.session.resumeThread({ threadId, cwd, model: MODEL });
    expect(opened.resumed).toBe(false);
    expect(opened.threadId).not.toBe(threadId);
    const notice = await bench.until('a notice', ({ kind }) => kind === 'notice');
    expect(notice).toMatchObject({ message: expect.stringContaining('cannot be resumed') });
    await bench.startTurn('begin');
    expect((await bench.untilTurnEnds()).status).toBe('completed');
  });
});

/** An engine that has said `text` and lives on. */
function stdioWith(text: string, write: EngineStdio['write']): EngineStdio {
  return {
    exited: new Promise<never>(() => undefined),
    stdout: async function* stdout(_fromByte, signal) {
      yield Buffer.from(text);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
    write,
  };
}

describe('an adopted session', { timeout: 20_000 }, () => {
  it('goes on where the dead one stopped and serves a further turn', async () => {
    const script = [exec(WAIT_FOR_GO), say('Done waiting.'), say('And again.')];
    const { bench } = await fixture.start(script);
    const threadId = await bench.startThread();
    await bench.startTurn('begin');
    await bench.until('the command', isCommand);
    bench.session.close();
    const { process, journal, workspacePath } = bench;
    const fifo = join(process.stdoutPath, '..', 'stdin');
    await appendFile(fifo, '{"id":77,"method":"turn/in');

    const stdio = process.attach();
    const session = await quickEngine.open({ stdio, journal, adopted: true, threadId });
    fixture.onDispose(() => session.close());
    const { events, until } = collect(session);
    expect(session.engineVersion).toBe(bench.session.engineVersion);
    expect(await session.steer(turnInput('You were adopted.'))).toBe('joined');
    writeFileSync(join(workspacePath, 'go'), '');
    await until('the end of the turn', ({ kind }) => kind === 'turn_ended');
    expect(milestones([...bench.events, ...events])).toEqual([
      'turn_started',
      'item_started user_message',
      'item_ended user_message',
      'item_started command',
      'item_ended command',
      'item_started user_message',
      'item_ended user_message',
      'item_started message',
      'item_ended message',
      'turn_ended',
    ]);
    const { turnId } = await session.startTurn(turnInput('once more'), { model: MODEL });
    await until('the next end', (e) => e.kind === 'turn_ended' && e.turnId === turnId);
    const log = readFileSync(process.stdoutPath, 'utf8');
    expect(log.match(/"userAgent"/g)).toHaveLength(1);
  });

  it('can still answer a question that was asked before', async () => {
    const { bench } = await fixture.start(asksQuestion);
    const threadId = await bench.startThread();
    await bench.startTurn('begin');
    const asked = await bench.until('the question', ({ kind }) => kind === 'request');
    if (asked.kind !== 'request') throw new Error('not a question');
    bench.session.close();
    const { process, journal, workspacePath } = bench;
    const stdio = process.attach();
    const session = await quickEngine.open({ stdio, journal, adopted: true, threadId });
    fixture.onDispose(() => session.close());
    const { until } = collect(session);
    expect(session.openRequests).toEqual([asked.requestId]);
    expect(await session.answer(asked.requestId, { colour: ['Blue'] })).toBe(true);
    expect(session.openRequests).toEqual([]);
    const ended = await until('the end', ({ kind }) => kind === 'turn_ended');
    expect(ended).toMatchObject({ status: 'completed' });
    expect(readFileSync(join(workspacePath, 'colour.txt'), 'utf8')).toBe('Blue\n');
  });

  it('delivers an answer that its predecessor could not write', async () => {
    const written: string[] = [];
    let broken = true;
    const request = '{"id":"q-9","method":"item/fileChange/requestApproval","params":{}}\n';
    const stdioFrom = (text: string): EngineStdio =>
      stdioWith(text, (bytes) => {
        if (broken && bytes.length > 1) return Promise.reject(new Error('the pipe is gone'));
        written.push(Buffer.from(bytes).toString());
        return Promise.resolve();
      });
    const journal = memoryJournal();
    journal.save({ stdoutOffset: 0, nextRpcId: 8, pending: [] });
    const first = await quickEngine.open({ stdio: stdioFrom(request), journal, adopted: true });
    const { until } = collect(first);
    await until('the failed answer', ({ kind }) => kind === 'notice');
    first.close();
    broken = false;
    written.length = 0;
    const second = await quickEngine.open({ stdio: stdioFrom(''), journal, adopted: true });
    fixture.onDispose(() => second.close());
    expect(written).toEqual(['\n', '{"id":"q-9","result":{"decision":"accept"}}\n']);
  });

  it('delivers the answer of a person after its predecessor died while writing it', async () => {
    const questions = [{ id: 'colour', header: 'Colour', question: 'Which colour?' }];
    const asks = { threadId: 't', turnId: 'turn-1', questions };
    const request = { id: 'q-1', method: 'item/tool/requestUserInput', params: asks };
    const journal = memoryJournal();
    journal.save({ stdoutOffset: 0, nextRpcId: 8, pending: [] });
    const line = `${JSON.stringify(request)}\n`;
    const hangs = stdioWith(line, (bytes) =>
      bytes.length > 1 ? new Promise(() => undefined) : Promise.resolve(),
    );
    const first = await quickEngine.open({ stdio: hangs, journal, adopted: true });
    await collect(first).until('the question', ({ kind }) => kind === 'request');
    void first.answer('turn-1.q-1', { colour: ['Blue'] });
    first.close();
    const written: string[] = [];
    const stdio = stdioWith('', (bytes) => {
      written.push(Buffer.from(bytes).toString());
      return Promise.resolve();
    });
    const second = await quickEngine.open({ stdio, journal, adopted: true });
    fixture.onDispose(() => second.close());
    expect(second.openRequests).toEqual([]);
    const resolved = await collect(second).until('its end', ({ kind }) => kind !== 'notice');
    expect(resolved).toEqual({ kind: 'request_resolved', requestId: 'turn-1.q-1' });
    expect(written[1]).toBe('{"id":"q-1","result":{"answers":{"colour":{"answers":["Blue"]}}}}\n');
  });

  it('without a journal is refused', async () => {
    const { bench } = await fixture.start([]);
    const stdio = bench.process.attach();
    const opening = quickEngine.open({ stdio, journal: memoryJournal(), adopted: true });
    await expect(opening).rejects.toThrow('no journal');
  });
});

describe('an engine that misbehaves', { timeout: 30_000 }, () => {
  it('is read on through garbage, huge lines, foreign threads and unknown requests', async () => {
    const program = fileURLToPath(new URL('./testing/fake-app-server.ts', import.meta.url));
    const engine = startEngineProcess([process.execPath, program], {}, '/');
    fixture.onDispose(() => engine.dispose());
    const stdio = engine.attach();
    const session = await quickEngine.open({ stdio, journal: memoryJournal(), adopted: false });
    fixture.onDispose(() => session.close());
    expect(session.engineVersion).toBe('9.9.9');
    const { events, until } = collect(session);
    await session.startThread({ cwd: '/', model: MODEL });
    await session.startTurn(turnInput('begin'), { model: MODEL });
    await until('the end', ({ kind }) => kind === 'turn_ended');

    const garbage = events.filter((event) => event.kind === 'garbage');
    expect(garbage.map(({ bytes }) => bytes)).toEqual([31, 7, 33 * 1024 * 1024]);
    expect(garbage[0]?.sample).toBe('thread main panicked at "oh no"');
    expect(garbage[2]?.sample).toHaveLength(2048);
    const texts = events.flatMap((event) =>
      event.kind === 'item_ended' && event.item.type === 'message' ? [event.item.text] : [],
    );
    expect(texts).toHaveLength(2);
    expect(texts[0]).toMatch(/^head y+\n… \d+ bytes left out …\ny+ tail$/);
    expect(texts[0]?.length).toBeLessThanOrEqual(64 * 1024);
    // Answers are matched by their id; their order says nothing.
    const answers = JSON.parse(texts[1] ?? '') as { id: string }[];
    expect(answers.toSorted((one, other) => one.id.localeCompare(other.id))).toEqual([
      { id: 'q-1', error: { code: -32601, message: expect.stringContaining('future/unheardOf') } },
      { id: 'q-2', result: { decision: 'accept' } },
      { id: 'q-3', error: { code: -32601, message: expect.any(String) } },
    ]);
  });
});
