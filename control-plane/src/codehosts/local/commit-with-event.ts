import { eq } from 'drizzle-orm';
import type { PullRequest } from '@switchyard/shared/api/pull-request';
import type { Statement } from '../../db/database.ts';
import { counters } from '../../db/schema/events.ts';
import { appendEvents } from '../../events/append.ts';
import type { LocalCodeHostDeps } from './local-code-host-deps.ts';

type EventSubject = Pick<
  PullRequest,
  'id' | 'url' | 'branch' | 'status' | 'mergeCommitSha' | 'issueIdentifier'
>;

/** Commits the statements with the event of the state they lead to, and tells the listeners. */
export async function commitWithEvent(
  deps: LocalCodeHostDeps,
  nowMs: number,
  pullRequest: EventSubject,
  statements: [Statement, ...Statement[]],
): Promise<void> {
  const { id, url, branch, status, mergeCommitSha, issueIdentifier } = pullRequest;
  const event = {
    type: `pull_request.${status === 'open' ? 'opened' : status}`,
    atMs: nowMs,
    data: { identifier: issueIdentifier, pullRequestId: id, url, branch, status, mergeCommitSha },
  };
  const [first, ...rest] = statements;
  const results = await deps.db.batch([
    first,
    ...rest,
    ...appendEvents(deps.db, nowMs, [event]),
    deps.db.select({ seq: counters.value }).from(counters).where(eq(counters.name, 'event_seq')),
  ]);
  const counted = results.at(-1) as { seq: number }[] | undefined;
  const lastSeq = counted?.[0]?.seq;
  if (lastSeq !== undefined) deps.events.notify(lastSeq);
}
