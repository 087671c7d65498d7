import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EventStream, type EventSourceLike } from './event-stream.ts';

class FakeSource implements EventSourceLike {
  readonly url: string;
  readyState = 0;
  onopen: EventSource['onopen'] = null;
  onmessage: EventSource['onmessage'] = null;
  onerror: EventSource['onerror'] = null;

  constructor(url: string) {
    this.url = url;
  }
  close(): void {
    this.readyState = 2;
  }
  open(): void {
    this.readyState = 1;
    this.onopen?.call(this as unknown as EventSource, {} as Event);
  }
  showToast(data: string): void {
    this.onmessage?.call(this as unknown as EventSource, { data } as MessageEvent);
  }
  fail(readyState: number): void {
    this.readyState = readyState;
    this.onerror?.call(this as unknown as EventSource, {} as Event);
  }
}

const frame = (seq: number, type = 'issue.updated') =>
  JSON.stringify({ seq, type, at: '2026-11-20T10:00:00.000Z', data: {} });

function setUp() {
  const sources: FakeSource[] = [];
  const stream = new EventStream((url) => {
    const source = new FakeSource(url);
    sources.push(source);
    return source;
  });
  const seen: number[] = [];
  stream.subscribe((event) => seen.push(event.seq));
  stream.start();
  const latest = () => sources.at(-1) ?? new FakeSource('none');
  return { stream, sources, seen, latest };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the event stream', () => {
  it('hands out every event once', () => {
    const { seen, latest } = setUp();
    latest().open();
    for (const seq of [3, 4, 4, 3, 7]) latest().showToast(frame(seq));
    expect(seen).toEqual([3, 4, 7]);
  });

  it('ignores what is no event', () => {
    const { seen, latest } = setUp();
    for (const data of ['', '{', 'null', '{"seq":"1"}', '{"seq":1,"type":"x","data":null}'])
      latest().showToast(data);
    expect(seen).toEqual([]);
  });

  it('opens again after the last event when the browser gave up', () => {
    const { stream, sources, latest } = setUp();
    latest().open();
    latest().showToast(frame(41));
    latest().fail(2);
    expect(stream.status).toBe('reconnecting');
    vi.advanceTimersByTime(500);
    expect(sources.map((source) => source.url)).toEqual([
      '/api/v1/events',
      '/api/v1/events?after=41',
    ]);
    latest().open();
    expect(stream.status).toBe('live');
  });

  it('waits longer each time and leaves the browser’s own reconnecting alone', () => {
    const { sources, latest } = setUp();
    latest().fail(0);
    vi.advanceTimersByTime(60_000);
    expect(sources).toHaveLength(1);
    latest().fail(2);
    vi.advanceTimersByTime(500);
    latest().fail(2);
    vi.advanceTimersByTime(999);
    expect(sources).toHaveLength(2);
    vi.advanceTimersByTime(1);
    expect(sources).toHaveLength(3);
  });

  it('tells of a reconnect but not of the first connection', () => {
    const { stream, latest } = setUp();
    let reconnects = 0;
    stream.onReconnect(() => (reconnects += 1));
    latest().open();
    expect(reconnects).toBe(0);
    latest().fail(0);
    latest().open();
    expect(reconnects).toBe(1);
  });

  it('stays closed after it was stopped', () => {
    const { stream, sources, latest } = setUp();
    latest().fail(2);
    stream.stop();
    vi.advanceTimersByTime(60_000);
    expect(sources).toHaveLength(1);
  });
});
