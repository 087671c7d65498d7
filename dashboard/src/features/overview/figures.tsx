import type { IssueGroup } from '@switchyard/shared/api/work/issue-list';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useNeedingPerson } from '../../api/issue-lists.ts';
import { runnersQuery, usageQuery } from '../../api/queries.ts';
import { formatCount } from '../../format/format-count.ts';
import { Cost } from '../../ui/marks/cost.tsx';
import { Icon, type IconName } from '../../ui/marks/icon.tsx';
import { NEEDS_YOU_TEXT } from '../requests/need-row.tsx';
import { USAGE_DAYS } from './usage-panel.tsx';

/** The few numbers that answer "how are things?". */
export function Figures() {
  const { counts } = useNeedingPerson();
  const runners = useQuery(runnersQuery).data?.runners ?? [];
  const days = useQuery(usageQuery(USAGE_DAYS)).data?.days ?? [];
  const live = runners.filter((runner) => runner.status === 'connected');
  const slots = live.reduce((sum, runner) => sum + runner.slots.total, 0);
  const today = days.at(-1);
  const ended = days.reduce((sum, day) => sum + day.completed + day.failed - day.continued, 0);
  /** Completed work by the agents' reports, with a change or without one. */
  const done = days.reduce((sum, day) => sum + day.delivered, 0);
  const isAny = (group: IssueGroup) => (counts?.[group] ?? 0) > 0;
  return (
    <ul class="figures" aria-label="At a glance">
      <Figure
        icon="asking"
        tone={isAny('person') ? 'ask' : 'quiet'}
        name="Needs you"
        text={NEEDS_YOU_TEXT}
        need="person"
      >
        {counts?.person ?? '–'}
      </Figure>
      <Figure
        icon="running"
        tone={isAny('running') ? 'info' : 'quiet'}
        name="Running"
        need="running"
      >
        {counts?.running ?? '–'}
        {slots > 0 && <small> of {slots} slots</small>}
      </Figure>
      <Figure icon="queued" tone="quiet" name="Waiting" need="waiting">
        {counts?.waiting ?? '–'}
      </Figure>
      <Figure icon="completed" tone="quiet" name={`Success rate, ${USAGE_DAYS} days`}>
        {ended === 0 ? '–' : `${Math.round((done / ended) * 100)} %`}
        {ended > 0 && (
          <small>
            {' '}
            {done} of {ended} attempts
          </small>
        )}
      </Figure>
      <Figure icon="overview" tone="quiet" name="Tokens today">
        {formatCount(today?.tokens ?? 0)}
        {today !== undefined && today.costUsd + today.unpricedTokens > 0 && (
          <small>
            {' '}
            <Cost of={today} />
          </small>
        )}
      </Figure>
    </ul>
  );
}

type FigureProps = {
  icon: IconName;
  tone: 'ask' | 'info' | 'quiet';
  name: string;
  /** The board's filter that lists these issues. */
  need?: IssueGroup;
  /** What the number counts, where the name alone is not clear. */
  text?: string;
  children: preact.ComponentChildren;
};

function Figure({ icon, tone, name, need, text, children }: FigureProps) {
  const content = (
    <>
      <span class="figure-name">
        <Icon name={icon} size={14} /> {name}
      </span>
      <span class="figure-value">{children}</span>
    </>
  );
  return (
    <li class={`figure tone-${tone}`}>
      {need === undefined ? (
        <div>{content}</div>
      ) : (
        <Link to="/board" search={{ need }} title={text}>
          {content}
        </Link>
      )}
    </li>
  );
}
