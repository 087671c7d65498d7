import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../agent-engine.ts';
import { EventQueue } from './event-queue.ts';

const notice = (message: string): EngineEvent => ({ kind: 'notice', level: 'info', message });

const text = (result: IteratorResult<EngineEvent>): string | undefined =>
  result.value?.kind === 'notice' ? result.value.message : undefined;

async function rest(queue: EventQueue): Promise<EngineEvent[]> {
  const events: EngineEvent[] = [];
  for await (const event of queue) events.push(event);
  return events;
}

describe('the event queue', () => {
  it('calls a position processed only when the consumer came back for more', async () => {
    const processed: number[] = [];
    const queue = new EventQueue((offset) => processed.push(offset));
    queue.mark(5);
    expect(processed).toEqual([5]);
    queue.push(notice('a'));
    queue.mark(10);
    queue.mark(12);
    queue.push(notice('b'));
    queue.mark(20);
    const iterator = queue[Symbol.asyncIterator]();
    expect(text(await iterator.next())).toBe('a');
    expect(processed).toEqual([5]);
    expect(text(await iterator.next())).toBe('b');
    expect(processed).toEqual([5, 12]);
    queue.end();
    expect((await iterator.next()).done).toBe(true);
    expect(processed).toEqual([5, 12, 20]);
  });

  it('goes on in a later loop where an earlier one stopped', async () => {
    const queue = new EventQueue(() => undefined);
    for (const message of ['a', 'b', 'c']) queue.push(notice(message));
    queue.end();
    for await (const event of queue) {
      expect(event).toEqual(notice('a'));
      break;
    }
    expect(await rest(queue)).toEqual([notice('b'), notice('c')]);
  });

  it('drops streaming text that nobody reads, and nothing else', async () => {
    const queue = new EventQueue(() => undefined);
    const delta: EngineEvent = { kind: 'delta', itemId: 'i', stream: 'output', text: 'x' };
    for (let count = 0; count < 5_000; count += 1) queue.push(delta);
    queue.push(notice('kept'));
    queue.end();
    const events = await rest(queue);
    expect(events.length).toBeLessThan(2_100);
    expect(events.at(-1)).toEqual(notice('kept'));
  });
});
