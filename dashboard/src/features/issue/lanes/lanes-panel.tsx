import { costText } from '@switchyard/shared/usage/cost-text';
import type { Attempt } from '@switchyard/shared/api/work/attempt';
import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { attemptHistoryQuery } from '../../../api/attempt-history.ts';
import { issuePullRequestQuery, useReader } from '../../../api/queries.ts';
import { engineLabel } from '../../../format/engine-label.ts';
import { Cost } from '../../../ui/marks/cost.tsx';
import { formatCount } from '../../../format/format-count.ts';
import { formatDuration } from '../../../format/time.ts';
import { attemptMessage, attemptReason } from '../../../format/attempt-reason.ts';
import { Ago } from '../../../ui/marks/ago.tsx';
import { useNow } from '../../../ui/marks/use-now.ts';
import { QueryView } from '../../../ui/data/query-view.tsx';
import { AttemptMark, KindMark } from '../../../ui/marks/status-mark.tsx';
import { attemptLane, checksSegment, type LaneKind, type LaneSegment } from './attempt-lane.ts';
import { laneMs, placeSegments, scaleTicks, waitedMs } from './place-segments.ts';
import './lanes.css';

/** Number of attempts shown; older ones are in the list beside it. */
const SHOWN = 8;

/** The newest attempts as lanes with their durations and ends, all on one scale. */
export function LanesPanel({ issue }: { issue: IssueDetail }) {
  const attempts = issue.attempts.slice(0, SHOWN);
  const delivered = useQuery({
    ...issuePullRequestQuery(issue.identifier),
    enabled: attempts.some(({ outcome }) => outcome === 'completed'),
  }).data;
  const histories = useQueries({
    queries: attempts.map((attempt) => attemptHistoryQuery(attempt)),
  });
  const lanes = attempts.map((attempt, index) => {
    const events = histories[index]?.data;
    const checks = checksSegment(attempt, delivered);
    if (events === undefined) return null;
    return [...attemptLane(attempt, events), ...(checks === null ? [] : [checks])];
  });
  const isOpen = lanes.some((lane) => lane?.some(({ toMs }) => toMs === null));
  const nowMs = useNow(1_000, { active: isOpen });
  const longestMs = Math.max(0, ...lanes.map((lane) => laneMs(lane ?? [], nowMs)));
  return (
    <section class="panel lanes-panel" aria-label="Timeline">
      <header>
        <p class="quiet">
          Attempts, newest first, on one time scale. Full width: {formatDuration(longestMs)}.
        </p>
        {issue.attempts.length > 1 && (
          <Link to="/issues/$id/compare" params={{ id: issue.identifier }} className="button small">
            Compare attempts
          </Link>
        )}
      </header>
      <Legend />
      <Axis longestMs={longestMs} />
      <ol class="lanes">
        {attempts.map((attempt, index) => (
          <Lane
            key={attempt.attemptId}
            attempt={attempt}
            issue={issue}
            before={issue.attempts.find(({ attemptId }) => attemptId === attempt.failedOverFrom)}
            segments={lanes[index] ?? null}
            scale={{ longestMs, nowMs }}
          />
        ))}
      </ol>
    </section>
  );
}

const LABELS: Record<LaneKind, string> = {
  queued: 'queued',
  lease: 'leased',
  workspace: 'workspace',
  start: 'sandbox',
  turn: 'turn',
  between: 'saving',
  delivery: 'delivery',
  checks: 'checks',
};

const LEGEND: readonly [look: string, words: string][] = [
  ['workspace', 'workspace'],
  ['start', 'sandbox'],
  ['turn', 'agent turn'],
  ['turn failed', 'failed turn'],
  ['between', 'between turns'],
  ['delivery', 'delivery'],
  ['checks', 'checks'],
];

function Legend() {
  return (
    <ul class="lane-legend" aria-hidden="true">
      {LEGEND.map(([kind, label]) => (
        <li key={kind}>
          <span class={`lane-swatch lane-${kind}`} /> {label}
        </li>
      ))}
    </ul>
  );
}

/** Beyond this part of the scale, a label is placed to the left of its mark. */
const LAST_TICK = 0.88;

/** Round times above the lanes. */
function Axis({ longestMs }: { longestMs: number }) {
  if (longestMs === 0) return null;
  return (
    <ol class="lane-axis" aria-hidden="true">
      {scaleTicks(longestMs).map((atMs) => (
        <li
          key={atMs}
          class={atMs > longestMs * LAST_TICK ? 'last' : ''}
          style={{ left: `${(100 * atMs) / longestMs}%` }}
        >
          {atMs === 0 ? '0' : formatDuration(atMs)}
        </li>
      ))}
    </ol>
  );
}

type Scale = { longestMs: number; nowMs: number };
type LaneProps = {
  attempt: Attempt;
  issue: IssueDetail;
  /** The attempt that this one continues on another engine or account. */
  before: Attempt | undefined;
  segments: LaneSegment[] | null;
  scale: Scale;
};

function Lane({ attempt, issue, before, segments, scale }: LaneProps) {
  const history = useQuery(attemptHistoryQuery(attempt));
  const waited = waitedMs(segments ?? [], scale.nowMs);
  const message = attemptMessage(attempt, useReader());
  return (
    <li class="lane">
      <p class="lane-head">
        <Link
          to="/issues/$id"
          params={{ id: issue.identifier }}
          search={{ attempt: attempt.attemptId }}
        >
          Attempt {attempt.number}
        </Link>
        <KindMark attempt={attempt} />
        <AttemptMark attempt={attempt} issue={issue} />
        {attempt.kind !== 'check' && <span class="mono">{engineLabel(attempt)}</span>}
        {before !== undefined && <span>continues attempt {before.number}</span>}
        {attempt.failureKind !== null && <span>{attemptReason(attempt)}</span>}
        {waited >= 1_000 && <span class="quiet">waited {formatDuration(waited)}</span>}
        <span class="spacer" />
        <span class="row-numbers">
          {attempt.tokens.total > 0 && <span>{formatCount(attempt.tokens.total)} tok</span>}
          {costText(attempt) !== null && <Cost of={attempt} />}
          <Ago at={attempt.queuedAt} />
        </span>
      </p>
      <QueryView query={history} skeletonLines={1}>
        {() => segments !== null && <LaneBar segments={segments} scale={scale} />}
      </QueryView>
      {message !== null && <p class="quiet wrap">{message}</p>}
    </li>
  );
}

function LaneBar({ segments, scale }: { segments: LaneSegment[]; scale: Scale }) {
  return (
    <ol class="lane-bar">
      {placeSegments(segments, scale.longestMs, scale.nowMs).map((segment) => {
        const label = `${LABELS[segment.kind]}${segment.number === null ? '' : ` ${segment.number}`}`;
        const took = formatDuration(segment.tookMs);
        const title = `${label}, ${took}${segment.failed ? ', failed' : ''}`;
        return (
          <li
            key={`${segment.kind}:${segment.fromMs}`}
            class={`lane-${segment.kind} ${segment.failed ? 'failed' : ''} ${segment.toMs === null ? 'open' : ''}`}
            style={{ left: `${segment.left}%`, width: `${segment.width}%` }}
            title={title}
          >
            <span class="visually-hidden">{title}</span>
            <span class="lane-words" aria-hidden="true">
              {label} <small>{took}</small>
            </span>
          </li>
        );
      })}
    </ol>
  );
}
