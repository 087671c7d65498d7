import type { ReviewRow } from '../../db/schema/work/reviews.ts';
import { ownQuestions } from '@switchyard/shared/plan/outcome-of-plan';
import type { AttemptCheck } from '@switchyard/shared/checks/attempt-check';
import type { AttemptEvidence } from '@switchyard/shared/api/attempt-evidence';
import { actOfPerson, actorText } from '@switchyard/shared/reasons/act-of-person';
import { asSentence } from '@switchyard/shared/reasons/as-sentence';
import {
  actionFor,
  explainReason,
  waitsForPerson,
} from '@switchyard/shared/reasons/explain-reason';
import { isScriptedModel, SCRIPTED_WORK } from '@switchyard/shared/model-providers/scripted-model';
import { utcTime } from '@switchyard/shared/text/utc-time';
import { inertQuote } from '@switchyard/shared/markdown/inert-markdown';
import { codeFence, codeSpan } from '@switchyard/shared/text/code-fence';
import { cutText } from '@switchyard/shared/text/cut-text';
import { inertText } from '@switchyard/shared/text/inert-text';
import { plainLine, plainText } from '@switchyard/shared/text/plain-text';
import { checksLine } from '../checks-text.ts';
import { evidenceLine } from '../evidence-text.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import type { RequestRow } from '../../db/schema/work/requests.ts';

/** The facts from which an issue's status comment is written. */
export type CommentFacts = {
  issue: Pick<
    IssueRow,
    'identifier' | 'status' | 'reason' | 'reason_code' | 'pull_request_url' | 'next_retry_at_ms'
  >;
  attempt:
    | (Pick<AttemptRow, 'number' | 'summary' | 'error_message' | 'phase'> &
        Partial<Pick<AttemptRow, 'model'>>)
    | null;
  /** Open questions that wait for a person. */
  asked: Pick<RequestRow, 'questions' | 'plan'>[];
  /** Url of the issue's page; null when this service has no address that people can open. */
  pageUrl: string | null;
  /** Declared checks of an attempt that has ended or is being delivered; left out: none. */
  checks?: readonly AttemptCheck[];
  /** Evidence of such an attempt; null or left out: none. */
  evidence?: AttemptEvidence | null;
  /** What a review by another agent says of the delivered commit; null or left out: nothing. */
  review?: Pick<ReviewRow, 'verdict' | 'findings'> | null;
};

const MAX_QUOTED_CHARS = 2_000;
/** Names without Markdown syntax or text that becomes a link. */
const PLAIN_NAME = /^(?!www\.)[\p{L}\p{M}\p{N} .,'’-]{1,100}$/iu;

/** The Markdown of the status comment: the issue's status, its reason and the next step. Pure. */
export function commentText(facts: CommentFacts): string {
  const { issue, attempt } = facts;
  const lines = [`**Switchyard**: ${headline(facts)}`];
  if (isScriptedModel(attempt?.model ?? null)) lines.push('', SCRIPTED_WORK);
  const why = explained(facts);
  if (why?.cause) lines.push('', why.cause);
  // Failed checks are listed further down with their output.
  const isStatedBelow = issue.reason_code === 'checks_failed' && facts.checks?.length;
  if (why?.detail && !isStatedBelow) lines.push('', detail(why.detail, issue));
  for (const request of facts.asked) {
    // The plan stands in a comment of its own, with how to decide it.
    for (const { question } of ownQuestions(request))
      lines.push('', 'Question:', '', quote(question));
  }
  // What an earlier attempt left is not what was done.
  const isOfAttempt = issue.reason_code !== 'sub_issues_done';
  if (isOfAttempt && issue.status === 'completed' && attempt?.summary)
    lines.push('', quote(attempt.summary));
  if (isOfAttempt && facts.checks?.length) lines.push('', checksLine(facts.checks));
  const evidence = isOfAttempt && facts.evidence ? evidenceLine(facts.evidence) : null;
  if (evidence !== null) lines.push('', evidence);
  if (isOfAttempt && issue.status === 'completed' && facts.review)
    lines.push('', reviewLine(facts.review));
  lines.push('', `Next: ${why?.next || nextStep(facts)}${whenText(facts)}${actionLink(facts)}`);
  if (facts.pageUrl !== null) lines.push('', `[Follow the work](${facts.pageUrl})`);
  return lines.join('\n');
}

function reviewLine({ verdict, findings }: NonNullable<CommentFacts['review']>): string {
  const count = findings?.length ?? 0;
  const found = count === 0 ? '' : ` (${count} ${count === 1 ? 'finding' : 'findings'})`;
  const says = verdict === 'approved' ? 'approves the pull request' : 'asks for changes';
  return `A review by another agent ${says}${found}.`;
}

/** The reason for the status, if the headline does not already say it. */
function explained({ issue, asked }: CommentFacts) {
  const standing = { ...issue, reasonCode: issue.reason_code };
  const isPlain =
    issue.status === 'completed' &&
    issue.reason_code !== 'sub_issues_done' &&
    !waitsForPerson(standing);
  const why = isPlain || asked.length > 0 ? null : explainReason(standing);
  const act = actOfPerson(standing.reasonCode, standing.reason);
  if (why === null || act === null) return why;
  return { ...why, cause: `${asSentence(act.verb)} by ${nameText(actorText(act.actor))}.` };
}

/**
 * A name that someone chose, made inert so that it cannot imitate this service, mention people or
 * link.
 */
function nameText(name: string): string {
  const isPlain = PLAIN_NAME.test(name) && inertText(name) === name;
  return isPlain ? name : codeSpan(cutText(plainLine(name), MAX_QUOTED_CHARS));
}

function whenText({ issue, asked }: CommentFacts): string {
  const { status, next_retry_at_ms: atMs } = issue;
  return status !== 'retrying' || atMs === null || asked.length > 0
    ? ''
    : ` Next retry: ${utcTime(atMs)}.`;
}

/** A link to the page for the next step, if people can open it. */
function actionLink(facts: CommentFacts): string {
  const { issue, pageUrl } = facts;
  const action = actionFor(explained(facts)?.action ?? 'none', issue.identifier);
  if (action === null || pageUrl === null || action.path.startsWith('/issues/')) return '';
  return ` [${action.label}](${new URL(action.path, pageUrl).href})`;
}

function headline({ issue, attempt, asked }: CommentFacts): string {
  const number = attempt === null ? '' : ` (attempt ${attempt.number})`;
  if (asked.some(isPlan)) return `has made a plan${number}`;
  if (asked.length > 0) return `asks a question${number}`;
  switch (issue.status) {
    case 'running':
      return attempt?.phase === 'delivering' ? `delivering${number}` : `running${number}`;
    case 'retrying':
      return `retrying${number}`;
    case 'blocked':
      return `blocked${number}`;
    case 'failed':
      return `failed${number}`;
    case 'cancelled':
      return `stopped${number}`;
    case 'completed':
      if (issue.reason_code === 'sub_issues_done') return 'completed by its sub-issues';
      return issue.pull_request_url === null
        ? `done, no changes were needed${number}`
        : `delivered${number}`;
    default:
      return 'waiting';
  }
}

const PLAN_NEXT =
  'comment `approve` to begin the work, or say in a comment what should be different.';

function isPlan({ plan }: CommentFacts['asked'][number]): boolean {
  return plan !== null;
}

function nextStep({ issue, attempt, asked }: CommentFacts): string {
  if (asked.some(isPlan)) return PLAN_NEXT;
  if (asked.length > 0) return 'answer the question on the issue’s page; the agent waits.';
  switch (issue.status) {
    case 'running':
      return attempt?.phase === 'delivering'
        ? 'nothing to do; the agent is done, and its work is being delivered.'
        : 'nothing to do; the agent works.';
    case 'retrying':
      return 'another attempt starts by itself.';
    case 'blocked':
      return 'resolve what blocks it, then comment here, edit the issue or retry it.';
    case 'failed':
      return 'look at the reason, then edit the issue, comment here or retry it.';
    case 'cancelled':
      return 'retry it when it should go on.';
    case 'completed':
      if (issue.reason_code === 'sub_issues_done') return 'nothing to do.';
      return issue.pull_request_url === null
        ? 'close the issue if nothing is left to do.'
        : `review ${issue.pull_request_url}`;
    default:
      return 'it starts when a slot is free.';
  }
}

/** An agent's text is Markdown; a tool's report is shown verbatim. */
function detail(text: string, issue: CommentFacts['issue']): string {
  if (issue.reason_code === 'agent_blocked') return quote(text);
  return codeFence(cutText(plainText(text), MAX_QUOTED_CHARS, ' …'));
}

/**
 * An agent's text as a quotation that cannot imitate this service, mention people or load anything.
 */
function quote(text: string): string {
  return inertQuote(text, { maxChars: MAX_QUOTED_CHARS, headingLevel: 4, code: 'kept' });
}
