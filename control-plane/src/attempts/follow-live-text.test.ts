import type { LiveTextItem } from '@switchyard/shared/protocol/messages';
import { describe, expect, it, vi } from 'vitest';
import { createLiveText } from '../observe/events/create-live-text.ts';
import { followLiveText } from './follow-live-text.ts';

const piece = (text: string): LiveTextItem => ({ itemId: 'item_1', stream: 'agent', text });

function follow(input: { write?: () => Promise<void>; running?: () => boolean } = {}) {
  const liveText = createLiveText();
  const seen: string[] = [];
  const sink = {
    aborted: false,
    text: async ({ text }: LiveTextItem) => {
      await input.write?.();
      seen.push(text);
    },
    keepAlive: async () => undefined,
  };
  const done = followLiveText(
    liveText,
    {
      attemptId: 'att_1',
      isRunning: async () => input.running?.() ?? true,
      keepAliveMs: 10,
    },
    sink,
  );
  return { liveText, seen, sink, done };
}

describe('live text', () => {
  it('reaches who watches that attempt, in order, and ends with him', async () => {
    const { liveText, seen, sink, done } = follow();
    liveText.publish('att_2', [piece('of another')]);
    liveText.publish('att_1', [piece('one'), piece('two')]);
    await vi.waitFor(() => expect(seen).toEqual(['one', 'two']), { timeout: 30_000 });
    sink.aborted = true;
    expect(await done).toBe(true);
    liveText.publish('att_1', [piece('three')]);
    expect(seen).toEqual(['one', 'two']);
  });

  it('never shows the status line, however it is cut into pieces', async () => {
    const { liveText, seen, sink, done } = follow();
    const said = (text: string, itemId: string) => ({ itemId, stream: 'message', text });
    for (const text of ['All done.', '\n\n**SWIT', 'CHYARD_STATUS', ': DO', 'NE**'])
      liveText.publish('att_1', [said(text, 'item_1')]);
    liveText.publish('att_1', [said('S', 'item_2'), said('o it is', 'item_2')]);
    await vi.waitFor(() => expect(seen.join('')).toContain('So it is'), { timeout: 30_000 });
    expect(seen.join('')).toBe('All done.\n\nSo it is');
    sink.aborted = true;
    await done;
  });

  it('ends with the attempt', async () => {
    let running = true;
    const { done } = follow({ running: () => running });
    running = false;
    expect(await done).toBe(true);
  });

  it('is dropped, not gathered, while a listener is slow', async () => {
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const { liveText, seen, sink, done } = follow({ write: () => held });
    liveText.publish('att_1', [piece('first')]);
    await new Promise((resolve) => setImmediate(resolve));
    for (let count = 0; count < 100; count += 1)
      liveText.publish('att_1', [piece('x'.repeat(10_000))]);
    goOn();
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(1), { timeout: 30_000 });
    sink.aborted = true;
    await done;
    expect(seen).toHaveLength(7);
  });

  it('is shown as far as there is room when one piece is longer than that', async () => {
    for (const length of [65_535, 65_536, 65_537, 200_000]) {
      const { liveText, seen, sink, done } = follow();
      liveText.publish('att_1', [piece('x'.repeat(length))]);
      await vi.waitFor(() => expect(seen).toHaveLength(1), { timeout: 30_000 });
      liveText.publish('att_1', [piece('more')]);
      await vi.waitFor(() => expect(seen).toHaveLength(2), { timeout: 30_000 });
      sink.aborted = true;
      await done;
      expect(seen.map((text) => text.length)).toEqual([Math.min(length, 65_536), 4]);
    }
  });

  it('has no more listeners than it may', () => {
    const liveText = createLiveText();
    const ends = Array.from({ length: 200 }, () => liveText.subscribe('att_1', () => undefined));
    expect(ends.every((end) => end !== null)).toBe(true);
    expect(liveText.subscribe('att_2', () => undefined)).toBeNull();
    ends[0]?.();
    expect(liveText.subscribe('att_2', () => undefined)).not.toBeNull();
  });
});
