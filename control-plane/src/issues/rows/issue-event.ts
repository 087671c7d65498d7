import type { EventType } from '@switchyard/shared/api/event-type';
import type { IssueRow } from '../../db/schema/work/issues.ts';

type Shown = Pick<IssueRow, 'identifier' | 'id' | 'status' | 'reason' | 'reason_code'>;

/** The event that reports an issue's present status to subscribers. */
export function issueEvent(
  { identifier, id: issueId, status, reason, reason_code: reasonCode }: Shown,
  type: EventType & `issue.${string}` = 'issue.updated',
) {
  return { type, data: { identifier, issueId, status, reason, reasonCode } };
}
