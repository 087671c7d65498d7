import type { Attempt } from '@switchyard/shared/api/attempt';
import type { IssueDetail } from '@switchyard/shared/api/issue';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { attemptHistoryQuery } from '../../api/attempt-history.ts';
import { issuePullRequestQuery } from '../../api/queries.ts';
import { formatCost, formatCount } from '../../format/number.ts';
import { formatDuration } from '../../format/time.ts';
import { attemptReason } from '../../format/reason-of.ts';
import { Ago } from '../../ui/moment.tsx';
import { useNow } from '../../ui/now.ts';
import { QueryView } from '../../ui/panel-states.tsx';
import { AttemptMark } from '../../ui/status-mark.tsx';
import { attemptLane, checksSegment, type LaneKind, type LaneSegment } from './attempt-lane.ts';
import './lanes.css';

/** Older attempts are in the list beside it. */
const SHOWN = 8;

/** Every attempt as a lane: what took how long, and how each ended. */
export function LanesPanel({ issue }: { issue: IssueDetail }) {
  return (
    <section class="panel lanes-panel" aria-label="Timeline">
      <header>
        <p class="quiet">What each attempt did, newest first; wide is long.</p>
        {issue.attempts.length > 1 && (
          <Link to="/issues/$id/compare" params={{ id: issue.identifier }} className="button small">
            Compare two
          </Link>
        )}
      </header>
      <Legend />
      <ol class="lanes">
        {issue.attempts.slice(0, SHOWN).map((attempt) => (
          <Lane key={attempt.attemptId} attempt={attempt} identifier={issue.identifier} />
        ))}
      </ol>
    </section>
  );
}

const WORDS: Record<LaneKind, string> = {
  queued: 'queued',
  lease: 'taken by a runner',
  workspace: 'workspace',
  start: 'sandbox',
  turn: 'turn',
  between: 'saving',
  delivery: 'delivery',
  checks: 'checks',
};

function Legend() {
  return (
    <ul class="lane-legend" aria-hidden="true">
      {(['queued', 'workspace', 'start', 'turn', 'delivery', 'checks'] as const).map((kind) => (
        <li key={kind}>
          <span class={`lane-swatch lane-${kind}`} /> {WORDS[kind]}
        </li>
      ))}
    </ul>
  );
}

function Lane({ attempt, identifier }: { attempt: Attempt; identifier: string }) {
  const history = useQuery(attemptHistoryQuery(attempt));
  const delivered = useQuery({
    ...issuePullRequestQuery(identifier),
    enabled: attempt.outcome === 'completed',
  }).data;
  const checks = checksSegment(attempt, delivered);
  return (
    <li class="lane">
      <p class="lane-head">
        <Link to="/issues/$id" params={{ id: identifier }} search={{ attempt: attempt.attemptId }}>
          Attempt {attempt.number}
        </Link>
        <AttemptMark attempt={attempt} />
        {attempt.failureKind !== null && <span>{attemptReason(attempt)}</span>}
        <span class="spacer" />
        <span class="row-numbers">
          {attempt.tokens.total > 0 && <span>{formatCount(attempt.tokens.total)} tok</span>}
          {attempt.costUsd !== null && <span>{formatCost(attempt.costUsd)}</span>}
          <Ago at={attempt.queuedAt} />
        </span>
      </p>
      <QueryView query={history} skeletonLines={1}>
        {(events) => (
          <LaneBar
            segments={[...attemptLane(attempt, events), ...(checks === null ? [] : [checks])]}
          />
        )}
      </QueryView>
      {attempt.errorMessage !== null && <p class="quiet wrap">{attempt.errorMessage}</p>}
    </li>
  );
}

function LaneBar({ segments }: { segments: LaneSegment[] }) {
  const nowMs = useNow(1_000, segments.at(-1)?.toMs === null);
  return (
    <ol class="lane-bar">
      {segments.map((segment) => {
        const tookMs = (segment.toMs ?? nowMs) - segment.fromMs;
        const words = `${WORDS[segment.kind]}${segment.number === null ? '' : ` ${segment.number}`}`;
        const told = `${words}, ${formatDuration(tookMs)}${segment.failed ? ', failed' : ''}`;
        return (
          <li
            key={`${segment.kind}:${segment.fromMs}`}
            class={`lane-${segment.kind} ${segment.failed ? 'failed' : ''} ${segment.toMs === null ? 'open' : ''}`}
            style={{ flexGrow: Math.max(1, Math.sqrt(tookMs)) }}
            title={told}
          >
            <span>{words}</span> <small>{formatDuration(tookMs)}</small>
          </li>
        );
      })}
    </ol>
  );
}
