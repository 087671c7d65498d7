import { describe, expect, it } from 'vitest';
import { AcpJournal } from '../acp/session/acp-journal.ts';
import { ANSWER_FORMAT as acpFormat } from '../acp/session/map-form.ts';
import type { EngineEvent, Question } from '../agent-engine.ts';
import { CodexJournal } from '../codex/session/codex-journal.ts';
import { ANSWER_FORMAT as codexFormat } from '../codex/session/map-questions.ts';
import type { ServerAnswer } from '../json-rpc/rpc-client.ts';
import type { RpcId } from '../json-rpc/rpc-message.ts';
import { memoryJournal } from './memory-journal.ts';
import { OpenQuestions } from './open-questions.ts';
import { OwedReplies } from './owed-replies.ts';

const question: Question = {
  id: 'colour',
  header: 'Colour',
  question: 'Which colour?',
  isSecret: false,
  options: [],
};
const asked = {
  turnId: 'turn-1',
  questions: [question],
  fields: [{ id: 'colour', type: 'string', values: [] }],
};
const blue = { colour: ['Blue'] };

const adapters = [
  {
    name: 'the Agent Client Protocol',
    Journal: AcpJournal,
    format: acpFormat,
    answer: { result: { action: 'accept', content: { colour: 'Blue' } } },
    cancelled: [[7, { result: { action: 'cancel' } }]],
  },
  {
    name: 'Codex',
    Journal: CodexJournal,
    format: codexFormat,
    answer: { result: { answers: { colour: { answers: ['Blue'] } } } },
    cancelled: [],
  },
];

describe.each(adapters)('questions over $name', ({ Journal, format, answer, cancelled }) => {
  function open(store = memoryJournal()) {
    const journal = new Journal(store);
    if (store.load() !== null) journal.load();
    const events: EngineEvent[] = [];
    const written: [RpcId, ServerAnswer][] = [];
    const engine = {
      write: (): Promise<void> => Promise.resolve(),
      reply(rpcId: RpcId, given: ServerAnswer) {
        written.push([rpcId, given]);
        return this.write();
      },
    };
    const tell = (event: EngineEvent) => void events.push(event);
    const replies = new OwedReplies(journal, { reply: (...given) => engine.reply(...given), tell });
    const questions = new OpenQuestions(journal, format, { replies, tell });
    return { store, journal, events, written, engine, questions };
  }

  it('are asked once and answered once, also when they are read twice', async () => {
    const first = open();
    first.questions.asked(7, asked);
    expect(first.events.map(({ kind }) => kind)).toEqual(['request']);
    expect(await first.questions.answer('turn-1.7', blue)).toBe(true);
    expect(await first.questions.answer('turn-1.7', blue)).toBe(false);
    expect(first.written).toEqual([[7, answer]]);
    const second = open(first.store);
    second.questions.asked(7, asked);
    expect(second.events).toEqual([]);
    expect(second.journal.repliesOwed).toEqual([]);
  });

  it('are owed their answer until it is written', () => {
    const first = open();
    first.engine.write = () => new Promise(() => undefined);
    first.questions.asked(7, asked);
    void first.questions.answer('turn-1.7', blue);
    const second = open(first.store);
    expect(second.journal.requests.size).toBe(0);
    const owed = { type: 'reply', rpcId: 7, answer, requestId: 'turn-1.7' };
    expect(second.journal.repliesOwed).toEqual([owed]);
  });

  it('are open again when their answer cannot be written', async () => {
    const { questions, engine, journal, written } = open();
    questions.asked(7, asked);
    engine.write = () => Promise.reject(new Error('the pipe is gone'));
    await expect(questions.answer('turn-1.7', blue)).rejects.toThrow('the pipe is gone');
    expect([...journal.requests.keys()]).toEqual(['turn-1.7']);
    expect(journal.repliesOwed).toEqual([]);
    engine.write = () => Promise.resolve();
    expect(await questions.answer('turn-1.7', blue)).toBe(true);
    expect(written).toHaveLength(2);
  });

  it('end with their turn', () => {
    const { questions, events, written } = open();
    questions.asked(7, asked);
    questions.turnEnds('another turn');
    expect(events).toHaveLength(1);
    questions.turnEnds('turn-1');
    expect(events[1]).toEqual({ kind: 'request_resolved', requestId: 'turn-1.7' });
    expect(written).toEqual(cancelled);
  });

  it('end with their turn also while their answer is written', async () => {
    const { questions, events, engine, journal } = open();
    questions.asked(7, asked);
    let fail = (_error: Error) => {};
    engine.write = () => new Promise((_resolve, reject) => (fail = reject));
    const answered = questions.answer('turn-1.7', blue);
    questions.turnEnds('turn-1');
    expect(events[1]).toEqual({ kind: 'request_resolved', requestId: 'turn-1.7' });
    fail(new Error('the pipe is gone'));
    await expect(answered).rejects.toThrow('the pipe is gone');
    expect(events).toHaveLength(2);
    expect([journal.requests.size, journal.repliesOwed.length]).toEqual([0, 0]);
  });

  it('that nobody answers are closed at once, and the engine is owed an empty answer', async () => {
    const memory = memoryJournal();
    const saved: string[][] = [];
    const save: typeof memory.save = (state) => {
      saved.push((state.pending as { type: string }[]).map(({ type }) => type));
      memory.save(state);
    };
    const { questions, events, engine, journal } = open({ load: memory.load, save });
    questions.asked(7, asked);
    engine.write = () => Promise.reject(new Error('the pipe is gone'));
    expect(await questions.answer('turn-1.7', {})).toBe(true);
    // Wherever the runner dies, its successor has the question or its answer.
    expect(saved.filter((types) => !types.includes('request') && !types.includes('reply'))).toEqual(
      [],
    );
    expect(events[1]).toEqual({ kind: 'request_resolved', requestId: 'turn-1.7' });
    expect(journal.requests.size).toBe(0);
    expect(journal.repliesOwed).toHaveLength(1);
  });

  it('of a former version, without fields, are still answered', async () => {
    const store = memoryJournal();
    const request = { type: 'request', requestId: 'turn-1.7', rpcId: 7, turnId: 'turn-1' };
    store.save({ stdoutOffset: 0, nextRpcId: 8, pending: [request] });
    expect(await open(store).questions.answer('turn-1.7', blue)).toBe(true);
  });
});
