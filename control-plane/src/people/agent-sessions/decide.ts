import type { ReasonCode } from '@switchyard/shared/api/work/reason-code';
import { explainReason, reasonLine } from '@switchyard/shared/reasons/explain-reason';
import { inertLine, inertMarkdown } from '@switchyard/shared/markdown/inert-markdown';
import { APPROVE, MAX_PLAN_CHARS } from '@switchyard/shared/plan/is-approval';
import { utcTime } from '@switchyard/shared/text/utc-time';
import type { IssueStatus } from '@switchyard/shared/api/work/issue';
import type { Question } from '@switchyard/shared/api/work/question';

/** The content of a session activity, in the form of its row. */
export type ActivityMessage =
  | { type: 'thought' | 'elicitation' | 'response' | 'error'; body: string }
  | { type: 'action'; action: string; parameter: string; result?: string };
export type Draft = { content: ActivityMessage; ephemeral?: boolean; options?: string[] };

/** The state of a session's issue, as far as people are told. */
export type SessionState = {
  /** The issue; null when this service does not know it. */
  issue: {
    status: IssueStatus;
    reason: string | null;
    reasonCode: ReasonCode | null;
    nextRetryAtMs: number | null;
    /** The issue is in a terminal state of its tracker. */
    isOver: boolean;
    pullRequestUrl: string | null;
  } | null;
  attempt: { attemptId: string; number: number; summary: string | null } | null;
  /** What the attempt asks a person, with the plan that it hands in; null: it only asks. */
  asked: { requestId: string; questions: Question[]; plan: string | null } | null;
  /** Page where the work can be followed; null when there is none. */
  pageUrl: string | null;
};

/**
 * `ended`: nothing more follows by itself. `waiting`: for a person. `going`: updates will follow.
 */
export type SessionUpdate = Draft & { key: string; after: 'going' | 'waiting' | 'ended' };

const MAX_SUMMARY_CHARS = 20_000;
const MAX_REASON_CHARS = 4_000;
const MAX_OPTION_CHARS = 2_000;

/** Longest silence: a tracker marks a session stale after 30 minutes without an activity. */
export const SILENCE_MS = 25 * 60_000;
/** Shortest interval of updates while the issue only waits for changing reasons. */
const CALM_MS = 60_000;
/** How long an activity that the tracker refuses is retried. */
const GIVE_UP_MS = 24 * 3_600_000;
/**
 * Spacing of progress updates: about 720 an hour over all sessions, a third of the tracker's rate
 * limit.
 */
const PROGRESS_SPACING_MS = 10_000;

/**
 * The update that a person should see now, with a key that tells whether it was sent before. Pure.
 */
export function nextUpdate(standing: SessionState): SessionUpdate | null {
  const { issue, attempt, asked } = standing;
  if (issue === null) {
    const body = 'This cannot be worked on: no such issue is known here.';
    return { key: 'unknown', content: { type: 'error', body }, after: 'ended' };
  }
  const of = attempt === null ? '' : `:${attempt.attemptId}`;
  const line = reasonLine(issue);
  const whole = line === null ? '' : markdown(line, MAX_REASON_CHARS).replace(/\.$/, '');
  const why = whole === '' ? '' : `: ${whole}`;
  const cause = issue.reasonCode ?? issue.reason;
  switch (issue.status) {
    case 'running':
      if (asked !== null) return question(asked, standing.pageUrl);
      return going(`running${of}`, `Attempt ${attempt?.number ?? 1} is running.`);
    case 'queued':
      // An offered issue is about to run or to wait for another reason.
      if (issue.reasonCode === 'offered') return null;
      return going(`queued:${cause}`, `Queued${why || ': its turn comes as soon as it can'}.`);
    case 'retrying':
      return going(`retrying${of}`, `It goes on by itself${when(issue.nextRetryAtMs)}${why}.`);
    case 'blocked': {
      if (asked !== null && asked.plan !== null) return planOf(asked.requestId, asked.plan);
      const body = `Blocked${why}.${nextMessage(issue)}\n\nAnswer here, comment on the issue or change it to go on.`;
      const key = `blocked${of}:${issue.reason}`;
      return { key, content: { type: 'elicitation', body }, after: 'waiting' };
    }
    case 'failed': {
      const body = `Failed${why}.${nextMessage(issue)}\n\nWrite here to retry.`;
      return ended(`failed${of}:${issue.reason}`, { type: 'error', body });
    }
    case 'cancelled':
      return ended(`cancelled${of}:${issue.reason}`, {
        type: 'response',
        body: issue.reasonCode === 'stopped_by_person' ? `${whole}.` : `Stopped${why}.`,
      });
    case 'completed':
      return ended(`completed${of}`, { type: 'response', body: result(standing) });
    case 'idle':
      if (issue.isOver) {
        const body = 'There is nothing to do: the issue is closed. Reopen it to have it worked on.';
        return ended('over', { type: 'response', body });
      }
      return issue.reason === null
        ? null
        : going(`idle:${cause}`, `Not started yet${why}.${nextMessage(issue)}`);
  }
}

function nextMessage(issue: NonNullable<SessionState['issue']>): string {
  const next = explainReason(issue)?.next ?? '';
  return next === '' ? '' : `\n\n${next}`;
}

function going(key: string, body: string): SessionUpdate {
  return { key, content: { type: 'thought', body }, after: 'going' };
}

function ended(key: string, content: ActivityMessage): SessionUpdate {
  return { key, content, after: 'ended' };
}

function when(atMs: number | null): string {
  return atMs === null ? '' : ` on ${utcTime(atMs)}`;
}

function result({ issue, attempt }: SessionState): string {
  const closing = attempt?.summary?.trim() || issue?.reason || '';
  const summary = markdown(closing, MAX_SUMMARY_CHARS) || 'Done.';
  const url = issue?.pullRequestUrl ?? null;
  return url === null ? summary : `${summary}\n\nReview the pull request: ${url}`;
}

/** Text of an agent or tool as inert Markdown for the tracker. */
function markdown(text: string, maxChars: number): string {
  return inertMarkdown(text, { maxChars, headingLevel: 4, code: 'kept' });
}

/** A plan for people, with how to decide it. */
function planOf(requestId: string, plan: string): SessionUpdate {
  const body = `${markdown(plan, MAX_PLAN_CHARS)}\n\nAnswer \`approve\` to begin the work on this plan, or say what should be different.`;
  const content = { type: 'elicitation' as const, body };
  return { key: `plan:${requestId}`, content, after: 'waiting', options: [APPROVE] };
}

/** A question for people; secrets are not requested where others can read the answer. */
function question(
  asked: NonNullable<SessionState['asked']>,
  pageUrl: string | null,
): SessionUpdate {
  const { questions } = asked;
  const key = `asked:${asked.requestId}`;
  if (questions.some(({ isSecret }) => isSecret)) {
    const where = pageUrl === null ? 'on the page of the issue' : `at ${pageUrl}`;
    const body = `The agent needs a secret. Do not write it here: answer ${where}.`;
    return { key, content: { type: 'elicitation', body }, after: 'waiting' };
  }
  const [only] = questions;
  if (only !== undefined && questions.length === 1) {
    const options = only.options.map(({ label }) => label);
    const described = only.options.map(
      ({ label, description }) =>
        `- **${inertLine(label, MAX_OPTION_CHARS)}** ${inertLine(description, MAX_OPTION_CHARS)}`,
    );
    const asks = markdown(only.question, MAX_REASON_CHARS);
    const body = [asks, ...(described.length === 0 ? [] : ['', ...described])].join('\n');
    const draft = {
      key,
      content: { type: 'elicitation' as const, body },
      after: 'waiting' as const,
    };
    return options.length === 0 ? draft : { ...draft, options };
  }
  const lines = questions.map((each, at) => {
    const choices = each.options.map(({ label }) => inertLine(label, MAX_OPTION_CHARS)).join(' / ');
    return `${at + 1}. ${inertLine(each.question, MAX_REASON_CHARS)}${choices === '' ? '' : ` (${choices})`}`;
  });
  const body = `${lines.join('\n')}\n\nAnswer each on a line of its own, such as \`1. …\`.`;
  return { key, content: { type: 'elicitation', body }, after: 'waiting' };
}

export type SentUpdate = {
  /** Key of the last update that was sent. */
  key: string | null;
  activityAtMs: number;
  dueAtMs: number | null;
  /** Number of stored activities that are not sent yet. */
  waiting: number;
};

export type Next =
  | { kind: 'nothing' }
  | { kind: 'news'; news: SessionUpdate; dueAtMs: number }
  /** A progress update is due; after a long silence the last update is repeated. */
  | { kind: 'progress'; dueAtMs: number; again: SessionUpdate | null }
  /** Retries activities that could not be sent. */
  | { kind: 'again'; dueAtMs: number }
  /** Only sets the time of the next check; null: none. */
  | { kind: 'later'; dueAtMs: number | null };

/** Decides what to send to a session now; `running` is how many sessions report progress. Pure. */
export function decideNext(
  news: SessionUpdate | null,
  sent: SentUpdate,
  { nowMs, running }: { nowMs: number; running: number },
): Next {
  const isRunning = news?.key.startsWith('running') ?? false;
  const spacingMs = isRunning ? PROGRESS_SPACING_MS * Math.max(1, running) : SILENCE_MS;
  const dueAtMs = nowMs + spacingMs;
  const isDue = sent.dueAtMs !== null && sent.dueAtMs <= nowMs;
  if (news !== null && news.key !== sent.key) {
    const calmAtMs = isSameQueue(news.key, sent.key) ? sent.activityAtMs + CALM_MS : 0;
    if (calmAtMs <= nowMs) return { kind: 'news', news, dueAtMs };
    return sent.dueAtMs === calmAtMs ? { kind: 'nothing' } : { kind: 'later', dueAtMs: calmAtMs };
  }
  if (!isDue) return { kind: 'nothing' };
  const silentMs = nowMs - sent.activityAtMs;
  if (sent.waiting > 0 && silentMs < GIVE_UP_MS)
    return { kind: 'again', dueAtMs: nowMs + SILENCE_MS };
  if (news === null || news.after !== 'going') return { kind: 'later', dueAtMs: null };
  return { kind: 'progress', dueAtMs, again: silentMs >= SILENCE_MS ? news : null };
}

function isSameQueue(...keys: (string | null)[]): boolean {
  return ['queued:', 'idle:'].some((queue) => keys.every((key) => key?.startsWith(queue)));
}
