import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { type EventStream, eventStream } from './event-stream.ts';

/** Minimum interval between two fetches of one list, however many events arrive. */
const THROTTLE_MS = 700;

/**
 * Keys of the cached responses that an event makes stale. Of an attempt's own events, only tokens,
 * checks and kept files change a record.
 */
export function staleKeys(event: StreamEvent): QueryKey[] {
  const identifier = typeof event.data['identifier'] === 'string' ? event.data['identifier'] : null;
  const ofRecord: QueryKey[] =
    identifier === null
      ? []
      : [
          ['issue', identifier],
          ['attempts', identifier],
        ];
  // Any issue may be part of the tree that a page shows.
  const ofIssue: QueryKey[] = identifier === null ? [] : [...ofRecord, ['tree']];
  const [area] = event.type.split('.');
  const checks: QueryKey = ['attempt-checks', event.data['attemptId']];
  const evidence: QueryKey = ['attempt-evidence', event.data['attemptId']];
  if (event.type === 'attempt.event') {
    if (event.data['kind'] === 'check') return [checks];
    if (event.data['kind'] === 'artifacts') return [evidence];
    return event.data['kind'] === 'usage' ? ofRecord : [];
  }
  if (area === 'issue') {
    const comments: QueryKey[] = identifier === null ? [] : [['comments', identifier]];
    // An attempt that was taken from its runner has no open questions any more.
    const asked: QueryKey[] = event.type === 'issue.queued' ? [['requests']] : [];
    // The attempt that reviews starts with its issue, without an event of the review.
    const views: QueryKey[] = [['state'], ['issues'], ['local-issues'], ['setup'], ['reviews']];
    return [...views, ...ofIssue, ...comments, ...asked];
  }
  if (event.type === 'attempt.checkpoint') {
    return [
      ['checkpoints', event.data['attemptId']],
      ['issue-diff', identifier],
    ];
  }
  if (event.type === 'attempt.ended') {
    // The ended attempt has no open questions any more.
    const asked: QueryKey[] = [['requests'], ['issue-diff', identifier], checks, evidence];
    return [['usage'], ['state'], ['issues'], ...asked, ...ofIssue];
  }
  // The next runner of a requeued attempt starts its checks again.
  if (area === 'attempt') return event.type === 'attempt.requeued' ? [checks, ...ofIssue] : ofIssue;
  if (area === 'request') return [['requests'], ['issues'], ['state'], ...ofIssue];
  if (area === 'runner') return [['runners'], ['engines'], ['state'], ['setup'], ['setup-check']];
  if (area === 'pull_request') {
    const ofHost: QueryKey = ['issue-pull-request', identifier];
    const lists: QueryKey[] = [['state'], ['issues'], ['local-issues']];
    const ofQueue: QueryKey[] = [['pull-requests'], ['pull-request'], ['merge-queue'], ['reviews']];
    return [...ofQueue, ofHost, ...lists, ...ofIssue];
  }
  if (area === 'merge_queue') return [['merge-queue'], ...ofIssue];
  if (area === 'review') return [['reviews', event.data['pullRequestId']], ...ofIssue];
  if (area === 'config') {
    const setup: QueryKey[] = [['setup'], ['setup-check']];
    const values: QueryKey[] = [['config'], ['config-overlay'], ['engines']];
    return [
      ['repo-routes'],
      ['merge-queue'],
      ['reviews'],
      ['runtime'],
      ['state'],
      ['automations'],
      ...values,
      ...setup,
    ];
  }
  return VIEWS_BY_AREA[area ?? ''] ?? [];
}

/** Keys that any event of an area makes stale, for areas with one view. */
const VIEWS_BY_AREA: Record<string, QueryKey[]> = {
  service: [['state']],
  notification: [['notifications'], ['notification-channels']],
  webhook: [['webhook-health'], ['dead-letters']],
  automation: [['automations'], ['automation-runs']],
  alert: [['alerts']],
};

/** Keeps cached responses fresh by the event stream; returns a function that stops it. */
export function keepQueriesLive(
  client: QueryClient,
  stream: EventStream = eventStream,
): () => void {
  const stale = new Map<string, QueryKey>();
  let timer: ReturnType<typeof setTimeout> | null = null;
  const flush = () => {
    timer = null;
    const keys = [...stale.values()];
    stale.clear();
    for (const queryKey of keys) void client.invalidateQueries({ queryKey });
  };
  const unsubscribe = stream.subscribe((event) => {
    if (event.type === 'stream.gap') return void client.invalidateQueries();
    for (const key of staleKeys(event)) stale.set(JSON.stringify(key), key);
    if (stale.size > 0) timer ??= setTimeout(flush, THROTTLE_MS);
  });
  // Throttled like the others, so that a first read in progress is not aborted.
  const offMissed = stream.onMissed(() => {
    stale.set('', []);
    timer ??= setTimeout(flush, THROTTLE_MS);
  });
  stream.start();
  return () => {
    unsubscribe();
    offMissed();
    if (timer !== null) clearTimeout(timer);
    stream.stop();
  };
}
