import { WINDOW_EVENTS } from '@switchyard/shared/protocol/limits';
import type { RunnerMessageOf } from '@switchyard/shared/protocol/messages';
import { describe, expect, it } from 'vitest';
import { continuationsOf, readFrame, type WaitingFrame } from './waiting-frame.ts';

function events(attemptId: string, from: number, count = 64, epoch = 1): RunnerMessageOf<'events'> {
  const items = Array.from({ length: count }, (_, index) => ({
    seq: from + index,
    atMs: 0,
    kind: 'log',
    payload: { source: 'engine', text: 'x' },
  }));
  return { type: 'events', attemptId, epoch, from, items };
}

const frame = (...messages: unknown[]): WaitingFrame => ({ text: JSON.stringify(messages) });

/** Where the frames begin that are stored together with one that begins at 1. */
function together(...waiting: WaitingFrame[]): number[] {
  return continuationsOf(waiting, events('att_a', 1), 1_000).map(({ message }) => message.from);
}

describe('frames that wait together', () => {
  it('takes those that follow in sequence, past frames of other attempts', () => {
    const found = together(
      frame(events('att_b', 1)),
      frame(events('att_a', 65)),
      frame(events('att_b', 65)),
      frame(events('att_a', 129)),
    );
    expect(found).toEqual([65, 129]);
  });

  it('stops at a gap, at another epoch and at whatever is not events alone', () => {
    const follows = frame(events('att_a', 65));
    expect(together(frame(events('att_a', 66)), follows)).toEqual([]);
    expect(together(frame(events('att_a', 65, 64, 2)), follows)).toEqual([]);
    expect(together(frame({ type: 'drain', deadlineMs: 1 }), follows)).toEqual([]);
    expect(together(frame(events('att_b', 1), events('att_b', 65)), follows)).toEqual([]);
    expect(together({ text: 'no frame' }, follows)).toEqual([]);
  });

  it('passes by a frame that an earlier turn has answered', () => {
    const answered = { ...frame(events('att_b', 65)), answered: true };
    expect(together(answered, frame(events('att_a', 65)))).toEqual([65]);
  });

  it('takes no more than one credit window and one frame of bytes', () => {
    const many = [65, 129, 193, 257].map((from) => frame(events('att_a', from)));
    expect(together(...many).at(-1)).toBe(WINDOW_EVENTS - 63);
    const large = events('att_a', 65, 5);
    for (const item of large.items) item.payload['text'] = 'x'.repeat(60_000);
    expect(together(frame(large))).toEqual([]);
  });

  it('reads a frame once', () => {
    const once = frame(events('att_a', 1));
    expect(readFrame(once)).toBe(readFrame(once));
  });
});
