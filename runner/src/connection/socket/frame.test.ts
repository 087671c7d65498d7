import type { RunnerMessage } from '@switchyard/shared/protocol/messages';
import { expect, it } from 'vitest';
import { encodeFrames } from './frame.ts';

it('names no half of a surrogate pair, but leaves events as they were hashed', () => {
  const ref = { attemptId: 'att_1', epoch: 1 };
  const item = { seq: 1, atMs: 0, kind: 'notice', payload: { level: 'info', message: '\ud83d' } };
  const messages: RunnerMessage[] = [
    { type: 'delta', ...ref, items: [{ itemId: 'i', stream: 'message', text: '\ud83d' }] },
    { type: 'events', ...ref, from: 1, items: [item] },
  ];
  const [delta, events] = messages.flatMap((message) => encodeFrames([message], 1_000));
  expect(delta).toContain('"text":"\ufffd"');
  expect(events).toBe(JSON.stringify([messages[1]]));
});
