import type { EngineUsage, UsageDay } from '@switchyard/shared/api/work/usage';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { usageQuery } from '../../api/queries.ts';
import { formatCost, formatCount } from '../../format/format-count.ts';
import { shortDay } from '../../ui/chart/day-series.ts';
import { DataTable } from '../../ui/data/data-table.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { ListPage } from '../../ui/data/list-page.tsx';
import { BudgetPanel } from './budget-panel.tsx';
import './costs.css';

/** As far back as one looks for what a month costs. */
const DAYS = 31;

/** What each day cost, and what may be spent. */
export function CostsPage() {
  const usage = useQuery(usageQuery(DAYS));
  return (
    <ListPage
      title="Costs"
      about="Token usage and cost by UTC day and by engine, and budgets."
      query={usage}
    >
      {({ days, engines }) => (
        <div class="costs">
          <div class="costs-days">
            {isUnpriced(days) && <Unpriced />}
            <Engines rows={engines} />
            <Days days={days.toReversed()} />
          </div>
          <BudgetPanel />
        </div>
      )}
    </ListPage>
  );
}

/** Tokens were used and none of them has a price. */
function isUnpriced(days: readonly UsageDay[]): boolean {
  return days.some(({ tokens }) => tokens > 0) && days.every(({ costUsd }) => costUsd === 0);
}

function Unpriced() {
  return (
    <p class="note">
      <Icon name="cost" size={14} />
      <span>
        Costs need a price for each model:{' '}
        <Link to="/config" search={{ section: 'prices' }}>
          set prices
        </Link>
        .
      </span>
    </p>
  );
}

/** What was used without a price has cost something, and nobody knows how much. */
function costOf({ costUsd, tokens }: UsageDay): string {
  return costUsd === 0 && tokens > 0 ? '–' : formatCost(costUsd);
}

/** The newest first. */
function Days({ days }: { days: readonly UsageDay[] }) {
  const names = new Map(days.map(({ day }, ago) => [day, nameOf(day, ago)]));
  return (
    <DataTable
      label="Costs by day"
      rows={days}
      rowKey={({ day }) => day}
      columns={[
        { name: 'Day', cell: ({ day }) => <time dateTime={day}>{names.get(day)}</time> },
        { name: 'Cost', numeric: true, cell: costOf },
        { name: 'Tokens', numeric: true, cell: ({ tokens }) => formatCount(tokens) },
        { name: 'Attempts completed', numeric: true, wide: true, cell: (row) => row.completed },
        { name: 'Failed', numeric: true, wide: true, cell: (row) => row.failed },
      ]}
    />
  );
}

/** What each engine used with each model and account; nothing before the first attempt. */
function Engines({ rows }: { rows: readonly EngineUsage[] }) {
  if (rows.length === 0) return null;
  return (
    <DataTable
      label={`Costs by engine, ${DAYS} days`}
      rows={rows}
      rowKey={(row) => JSON.stringify([row.engine, row.model, row.account])}
      columns={[
        { name: 'Engine', cell: (row) => <span class="mono">{row.engine}</span> },
        { name: 'Model', cell: (row) => <span class="mono">{row.model ?? '–'}</span> },
        { name: 'Account', wide: true, cell: (row) => row.account ?? '–' },
        {
          name: 'Cost',
          numeric: true,
          cell: (row) => (row.costUsd === null ? '–' : formatCost(row.costUsd)),
        },
        { name: 'Tokens', numeric: true, cell: (row) => formatCount(row.tokens) },
        { name: 'Attempts', numeric: true, wide: true, cell: (row) => row.attempts },
      ]}
    />
  );
}

function nameOf(day: string, ago: number): string {
  return ['Today', 'Yesterday'][ago] ?? shortDay(day);
}
