import { createInterface } from 'node:readline';

/**
 * Stands in for the engine where the real one cannot be made to misbehave: answers the opening
 * calls, and on `turn/start` prints what a broken or busy engine might print.
 */
const THREAD = 'thread-1';
const TURN = 'turn-1';
const MEBIBYTE = 1024 * 1024;

type Message = { id?: number | string; method?: string; result?: unknown; error?: unknown };

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

function notify(method: string, params: Record<string, unknown>): void {
  print({ method, params });
}

function message(threadId: string, id: string, text: string): void {
  const item = { type: 'agentMessage', id, text };
  notify('item/completed', { threadId, turnId: TURN, item });
}

function turn(threadId: string, method: string, status: string): void {
  notify(method, { threadId, turn: { id: TURN, items: [], status, error: null } });
}

function playTurn(): void {
  turn(THREAD, 'turn/started', 'inProgress');
  process.stdout.write('thread main panicked at "oh no"\n');
  process.stdout.write('[1,2,3]\n\n');
  process.stdout.write(`${'x'.repeat(33 * MEBIBYTE)}\n`);
  message(THREAD, 'large', `head ${'y'.repeat(20 * MEBIBYTE)} tail`);
  message('thread-of-another', 'foreign', 'not for us');
  turn('thread-of-another', 'turn/completed', 'completed');
  print({ id: 'q-1', method: 'future/unheardOf', params: { threadId: THREAD } });
  const approval = { threadId: THREAD, turnId: TURN, itemId: 'i', startedAtMs: 0 };
  print({ id: 'q-2', method: 'item/commandExecution/requestApproval', params: approval });
  const foreign = { ...approval, threadId: 'thread-of-another', questions: [], isBlocking: true };
  print({ id: 'q-3', method: 'item/tool/requestUserInput', params: foreign });
}

const answers: Message[] = [];

function received(text: string): void {
  const { id, method, result, error }: Message = JSON.parse(text);
  if (method === 'initialize') print({ id, result: { userAgent: 'switchyard/9.9.9 (test)' } });
  else if (method === 'thread/start') print({ id, result: { thread: { id: THREAD } } });
  else if (method === 'turn/start') {
    print({ id, result: { turn: { id: TURN } } });
    playTurn();
  } else if (method === undefined && id !== undefined) {
    answers.push({ id, result, error });
    if (answers.length < 3) return;
    message(THREAD, 'answers', JSON.stringify(answers));
    turn(THREAD, 'turn/completed', 'completed');
  }
}

createInterface({ input: process.stdin }).on('line', received);
