import type { AttemptOutcome, StreamEvent } from '@switchyard/shared/api/work/attempt';
import type { MergeState } from '@switchyard/shared/api/pull-requests/merge-queue';
import type { ReviewState } from '@switchyard/shared/api/pull-requests/review';
import { plural } from '../../format/format-count.ts';
import { endedStatus } from '@switchyard/shared/reasons/attempt-status';
import { asReasonCode } from '@switchyard/shared/reasons/explain-reason';
import { actorText, actText, type Reader } from '@switchyard/shared/reasons/act-of-person';
import { eventReason } from '../../format/attempt-reason.ts';
import { failureLabel, phaseLabel, triggerLabel } from '../../format/labels.ts';
import type { Tone } from '../../ui/marks/badge.tsx';
import type { IconName } from '../../ui/marks/icon.tsx';
import { failoverSide } from '../../format/failover-side.ts';
import { textOf } from '../../format/text-of.ts';

export type FeedLine = { icon: IconName; tone: Tone; text: string; detail: string };

type Data = Record<string, unknown>;
type Read = (data: Data, reader: Reader) => FeedLine;

const line = (icon: IconName, tone: Tone, text: string, detail = ''): FeedLine => ({
  icon,
  tone,
  text,
  detail,
});
const reason = eventReason;

const READERS: Record<string, Read> = {
  'issue.queued': (data, reader) => line('queued', 'quiet', 'queued', reason(data, reader)),
  'issue.started': (data) => line('running', 'info', 'started', reason(data)),
  'issue.retrying': (data) => line('retrying', 'warning', 'retrying', reason(data)),
  'issue.blocked': (data) => line('blocked', 'warning', 'blocked', reason(data)),
  'issue.completed': (data) => line('completed', 'good', 'completed', reason(data)),
  'issue.failed': (data) => line('failed', 'bad', 'failed', reason(data)),
  'issue.cancelled': (data, reader) => stoppedLine('stopped', data, reader),
  'issue.updated': (data) => line('dot', 'quiet', 'updated', textOf(data['state'])),
  'attempt.phase': (data) => line('running', 'info', phaseLabel(textOf(data['phase']))),
  'attempt.checkpoint': (data) =>
    line('check', 'quiet', 'checkpoint saved', triggerLabel(textOf(data['trigger']))),
  'attempt.failover': (data) => {
    const sides = `${failoverSide(data['from'])} → ${failoverSide(data['to'])}`;
    return line(
      'retry',
      'warning',
      'failed over',
      [sides, reason(data)].filter(Boolean).join(' · '),
    );
  },
  'attempt.ended': endedLine,
  'request.asked': (data) => line('asking', 'ask', 'asked a question', textOf(data['question'])),
  'request.answered': (data, reader) => {
    const actor = textOf(data['answeredBy']);
    const who = actor === '' ? '' : ` by ${actorText(actor, reader)}`;
    return line('asking', 'good', `question answered${who}`);
  },
  'request.resumed': () => line('asking', 'good', 'resumed with the answer'),
  'request.expired': () => line('asking', 'warning', 'question expired'),
  'pull_request.opened': (data) => line('pull', 'good', 'pull request opened', textOf(data['url'])),
  'pull_request.merged': (data) => line('pull', 'good', 'pull request merged', textOf(data['url'])),
  'pull_request.closed': (data) =>
    line('pull', 'quiet', 'pull request closed', textOf(data['url'])),
  'pull_request.checks': (data) => {
    const [failed, pending] = [Number(data['failed'] ?? 0), Number(data['pending'] ?? 0)];
    if (failed > 0)
      return line('pull', 'bad', `${plural(failed, 'check')} failed`, textOf(data['url']));
    if (pending > 0) return line('pull', 'quiet', `${plural(pending, 'check')} running`);
    return line('pull', 'good', 'checks passed', textOf(data['url']));
  },
  'pull_request.feedback': (data) =>
    line('message', 'warning', 'feedback on the pull request', reason(data)),
  'merge_queue.changed': mergeLine,
  'review.changed': reviewLine,
  'runner.connected': (data) => line('runner', 'good', 'runner connected', runnerName(data)),
  'runner.disconnected': (data) =>
    line('runner', 'warning', 'runner disconnected', runnerName(data)),
  'runner.draining': (data) => line('runner', 'quiet', 'runner draining', runnerName(data)),
  'service.paused': (data) => line('pause', 'warning', 'all work paused', reason(data)),
  'service.resumed': () => line('running', 'good', 'work resumed'),
  'config.changed': (data) =>
    line('sliders', 'quiet', 'configuration changed', textOf(data['path'])),
  'alert.fired': (data) =>
    line('siren', 'bad', 'alert fired', textOf(data['ruleName']) || reason(data)),
  'webhook.received': (data) =>
    line('webhook', 'quiet', 'webhook received', textOf(data['provider'])),
  'webhook.processed': (data) =>
    line('webhook', 'quiet', 'webhook processed', textOf(data['provider'])),
  'webhook.dead': (data) => line('webhook', 'bad', 'webhook dead', reason(data)),
  'notification.created': (data) => line('bell', 'quiet', 'notification', reason(data)),
  'notification.read': () => line('bell', 'quiet', 'notification read'),
  'automation.started': (data) => line('clock', 'info', 'automation started', textOf(data['name'])),
  'automation.ended': (data) => line('clock', 'quiet', 'automation ended', textOf(data['name'])),
  'poll.completed': (data) => line('retry', 'quiet', 'tracker synced', textOf(data['status'])),
};

/**
 * Event types that the feed requests: those with a text above. Log lines are many and have their
 * own view.
 */
export const FEED_TYPES: ReadonlySet<string> = new Set(Object.keys(READERS));

/** An event as text; an unknown type is shown by its name. */
export function feedLine(event: StreamEvent, reader: Reader = null): FeedLine {
  return READERS[event.type]?.(event.data, reader) ?? line('dot', 'quiet', event.type);
}

function endedLine(data: Data, reader: Reader): FeedLine {
  const outcome = textOf(data['outcome']);
  const kind = textOf(data['failureKind']);
  const code = asReasonCode(data['reasonCode']);
  const detail = kind === '' || code !== null ? eventReason(data, reader) : failureLabel(kind);
  const { mark, word, tone } = endedStatus({
    outcome: outcome as AttemptOutcome,
    reasonCode: code,
  });
  if (outcome === 'cancelled') return stoppedLine('attempt stopped', data, reader);
  return line(mark, tone, `attempt ${word === 'unfinished' ? 'ended ' : ''}${word}`, detail);
}

const MERGE_LINES: Record<MergeState, Pick<FeedLine, 'icon' | 'tone' | 'text'>> = {
  waiting: { icon: 'merge', tone: 'quiet', text: 'waits in the merge queue' },
  testing: { icon: 'merge', tone: 'info', text: 'merge test started' },
  returned: { icon: 'merge', tone: 'warning', text: 'merge test failed, sent back to the agent' },
  held: { icon: 'pause', tone: 'warning', text: 'held in the merge queue' },
};

/** The line of a change in the merge queue; without a state the pull request left it. */
function mergeLine(data: Data, reader: Reader): FeedLine {
  if (data['state'] === null) return line('merge', 'quiet', 'left the merge queue');
  const state = textOf(data['state']);
  const known = Object.hasOwn(MERGE_LINES, state) ? MERGE_LINES[state as MergeState] : undefined;
  if (known === undefined) return line('merge', 'quiet', 'merge queue changed', reason(data));
  return { ...known, detail: reason(data, reader) };
}

const REVIEW_LINES: Record<Exclude<ReviewState, 'done'>, FeedLine> = {
  waiting: line('retry', 'warning', 'review is repeated later'),
  running: line('thought', 'info', 'review started'),
  failed: line('failed', 'bad', 'review ended without a verdict'),
};

/** The line of a review of a pull request by another agent. */
function reviewLine(data: Data, reader: Reader): FeedLine {
  const [state, verdict] = [textOf(data['state']), textOf(data['verdict'])];
  if (state === 'done' && verdict === 'approved')
    return line('completed', 'good', 'review approved the pull request');
  if (state === 'done') return line('message', 'warning', 'review asks for changes');
  const known = Object.hasOwn(REVIEW_LINES, state)
    ? REVIEW_LINES[state as keyof typeof REVIEW_LINES]
    : line('pull', 'quiet', 'review changed');
  return state === 'running' ? known : { ...known, detail: reason(data, reader) };
}

/** The line of a stop: by whom if a person did it, otherwise with the reason. */
function stoppedLine(title: string, data: Data, reader: Reader): FeedLine {
  const text = textOf(data['reason']) || textOf(data['message']);
  const act = actText(asReasonCode(data['reasonCode']), text, reader);
  if (act === null) return line('cancelled', 'quiet', title, reason(data));
  return line('cancelled', 'quiet', title.replace('stopped', act));
}

function runnerName(data: Data): string {
  return textOf(data['name']) || textOf(data['runnerId']);
}
