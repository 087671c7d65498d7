import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { attemptHistoryQuery } from './attempt-history.ts';

const running = { attemptId: 'att_1', endedAt: null };
const ended = { attemptId: 'att_1', endedAt: '2026-01-01T00:00:00.000Z' };
const another = { attemptId: 'att_2', endedAt: null };
const event = { seq: 1, type: 'agent_message', at: '2026-01-01T00:00:00.000Z', data: {} };

/** What is shown of an attempt after the first one was, before any answer comes. */
function shownNext(next: typeof running | typeof ended) {
  const client = new QueryClient();
  client.setQueryData(attemptHistoryQuery(running).queryKey, [event]);
  const observer = new QueryObserver(client, { ...attemptHistoryQuery(running), enabled: false });
  const stop = observer.subscribe(() => undefined);
  observer.setOptions({ ...attemptHistoryQuery(next), enabled: false });
  const { data } = observer.getCurrentResult();
  stop();
  return data;
}

it('keeps what is shown of an attempt when that ends', () => {
  expect(shownNext(ended)).toEqual([event]);
});

it('shows nothing of one attempt as if it was of another', () => {
  expect(shownNext(another)).toBeUndefined();
});
