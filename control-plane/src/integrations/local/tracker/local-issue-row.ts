import type { IssueRow } from '../../../db/schema/work/issues.ts';
import type { TrackerIssue } from '../../../ports/tracker/tracker.ts';
import { newIssueRow, trackerColumns } from '../../../ports/tracker/issue-row.ts';
import { LOCAL_TRACKER } from './local-tracker-deps.ts';

/** The recorded row of a local issue: the tracker's own data with the orchestrator's decisions. */
export function localIssueRow(issue: TrackerIssue, index: IssueRow | null | undefined): IssueRow {
  if (index === null || index === undefined) return newIssueRow(LOCAL_TRACKER, issue);
  return { ...index, ...trackerColumns(LOCAL_TRACKER, issue) };
}
