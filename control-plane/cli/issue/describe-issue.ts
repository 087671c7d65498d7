import { SCRIPTED_WORK } from '@switchyard/shared/model-providers/scripted-model';
import { actText, type Reader } from '@switchyard/shared/reasons/act-of-person';
import { attemptStatus, statusLabel } from '@switchyard/shared/reasons/attempt-status';
import { actionFor, explainReason } from '@switchyard/shared/reasons/explain-reason';
import { trackerFailureMessage } from '@switchyard/shared/reasons/tracker-failure-message';
import type { Issue, IssueDetail, TrackerFailure } from '@switchyard/shared/api/work/issue';
import { costText, lackingText } from '@switchyard/shared/usage/cost-text';
import { terminalText } from '../options/command-context.ts';
import { tableText } from '../output/table-text.ts';

/** An issue with its attempts as lines for a terminal. */
export function describeIssue(issue: IssueDetail, reader: Reader): string {
  const facts = [
    `${issue.identifier} ${terminalText(issue.title)}`,
    `state    ${issue.state}`,
    `status   ${statusLabel(issue.status)}`,
    ...(issue.onTrial ? [`trial    ${SCRIPTED_WORK}`] : []),
    ...whyLines(issue, reader),
    ...(issue.trackerFailures ?? []).flatMap(failureLines),
    ...(issue.pullRequestUrl === null ? [] : [`review   ${issue.pullRequestUrl}`]),
    ...(issue.url === null ? [] : [`tracker  ${issue.url}`]),
    `tokens   ${issue.tokens.total}${costNote(issue)}`,
  ];
  const rows = issue.attempts.map((attempt) => [
    attempt.kind === 'work' ? attempt.number : `${attempt.number} (${attempt.kind})`,
    attempt.outcome === null
      ? (attempt.phase ?? attempt.status)
      : attemptStatus(attempt, issue).word,
    attempt.reasonCode,
    attempt.startedAt ?? attempt.queuedAt,
    actText(attempt.reasonCode, attempt.errorMessage, reader) ??
      attempt.errorMessage ??
      attempt.summary?.split('\n')[0] ??
      null,
  ]);
  const list =
    rows.length === 0
      ? 'no attempts yet\n'
      : tableText(['ATTEMPT', 'OUTCOME', 'REASON', 'SINCE', 'WHAT'], rows);
  return `${facts.join('\n')}\n\n${list}`;
}

/** Cost in parentheses, ` (≥ $1.20; Without 5 tokens …)`; empty where there was no work. */
function costNote(issue: IssueDetail): string {
  const notes = [costText(issue), lackingText(issue)].filter((word) => word !== null);
  return notes.length === 0 ? '' : ` (${notes.join('; ')})`;
}

/** Lines with the cause, its details and what to do about it. */
function whyLines(issue: Issue, reader: Reader): string[] {
  const explained = explainReason(issue, reader);
  if (explained === null) return [];
  const { cause, detail, next } = explained;
  const command = actionFor(explained.action, issue.identifier)?.command;
  return [
    ...(cause === '' ? [] : [`why      ${cause}`]),
    ...(detail === null ? [] : [`         ${terminalText(detail)}`]),
    ...(next === '' ? [] : [`next     ${next}${command === undefined ? '' : ` (${command})`}`]),
  ];
}

function failureLines(failure: TrackerFailure): string[] {
  const { cause, next } = trackerFailureMessage(failure);
  return [`problem  ${cause}`, `         ${terminalText(failure.error)}`, `next     ${next}`];
}
