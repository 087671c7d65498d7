import { RunnerMessage } from '@switchyard/shared/protocol/messages';
import { expect, it } from 'vitest';
import { Spool } from '../journal/spool.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { ATTEMPT } from '../testing/use-session.ts';
import { Outbound } from './outbound.ts';
import { StreamFlow } from './stream-flow.ts';

/** The longest text that waits for a frame, in characters. */
const ROOM_CHARS = 16_384;

/** What pieces of live text become on a socket that takes everything. */
function shown(...texts: string[]): string[] {
  const clock = new FakeClock();
  const spool = new Spool(':memory:');
  spool.open(ATTEMPT);
  const flow = new StreamFlow(spool, { events: 256, bytes: 1_048_576 });
  flow.open(ATTEMPT, 0);
  const frames: string[] = [];
  const out = new Outbound(
    { send: (text) => void frames.push(text), close: () => undefined, bufferedBytes: () => 0 },
    clock,
  );
  out.startData(flow);
  for (const text of texts) out.delta(ATTEMPT, { itemId: 'item_1', stream: 'message', text });
  out.dataNow();
  out.close();
  spool.close();
  return frames
    .flatMap((frame) => RunnerMessage.array().parse(JSON.parse(frame)))
    .flatMap((message) => (message.type === 'delta' ? message.items : []))
    .map(({ text }) => text);
}

it('shows a long piece of live text as far as there is room', () => {
  for (const length of [1, ROOM_CHARS - 1, ROOM_CHARS, ROOM_CHARS + 1, 40 * ROOM_CHARS]) {
    expect(shown('x'.repeat(length)).map((text) => text.length)).toEqual([
      Math.min(length, ROOM_CHARS),
    ]);
  }
});

it('drops live text that follows more than there is room for', () => {
  const long = 'x'.repeat(ROOM_CHARS);
  expect(shown(long, 'more')).toEqual([long]);
  expect(shown('some ', 'more')).toEqual(['some more']);
  expect(shown('some', long, 'more')).toEqual(['some']);
});
