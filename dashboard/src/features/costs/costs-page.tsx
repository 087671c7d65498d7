import type { EngineUsage, UsageDay } from '@switchyard/shared/api/work/usage';
import { useQuery } from '@tanstack/react-query';
import { usageQuery } from '../../api/queries.ts';
import { formatCount } from '../../format/format-count.ts';
import { shortDay } from '../../ui/chart/day-series.ts';
import { DataTable } from '../../ui/data/data-table.tsx';
import { AtLeastNote, Cost } from '../../ui/marks/cost.tsx';
import { ListPage } from '../../ui/data/list-page.tsx';
import { BudgetPanel } from './budget-panel.tsx';
import { COST_DAYS, MissingPricesOf } from './missing-prices.tsx';
import { PricePanel } from './price-panel.tsx';
import './costs.css';

/** Costs of each day, and the budgets. */
export function CostsPage() {
  const usage = useQuery(usageQuery(COST_DAYS));
  return (
    <ListPage
      title="Costs"
      about="Token usage and cost by UTC day and by engine, budgets, and prices of models."
      query={usage}
    >
      {({ days, engines, prices }) => (
        <div class="costs">
          <div class="costs-days">
            <MissingPricesOf models={prices.models} />
            <Engines rows={engines} />
            <Days days={days.toReversed()} />
            <AtLeastNote of={[...days, ...engines]} />
          </div>
          <div class="costs-limits">
            <BudgetPanel models={prices.models} />
            <PricePanel prices={prices} />
          </div>
        </div>
      )}
    </ListPage>
  );
}

/** Table of days, the newest first. */
function Days({ days }: { days: readonly UsageDay[] }) {
  const names = new Map(days.map(({ day }, ago) => [day, nameOf(day, ago)]));
  return (
    <DataTable
      label="Costs by day"
      rows={days}
      rowKey={({ day }) => day}
      columns={[
        { name: 'Day', cell: ({ day }) => <time dateTime={day}>{names.get(day)}</time> },
        { name: 'Cost', numeric: true, cell: (row) => <Cost of={row} /> },
        { name: 'Tokens', numeric: true, cell: ({ tokens }) => formatCount(tokens) },
        { name: 'Attempts completed', numeric: true, wide: true, cell: (row) => row.completed },
        { name: 'Failed', numeric: true, wide: true, cell: (row) => row.failed },
      ]}
    />
  );
}

/** Usage of each engine with each model and account; nothing before the first attempt. */
function Engines({ rows }: { rows: readonly EngineUsage[] }) {
  if (rows.length === 0) return null;
  return (
    <DataTable
      label={`Costs by engine, ${COST_DAYS} days`}
      rows={rows}
      rowKey={(row) => JSON.stringify([row.engine, row.model, row.account])}
      columns={[
        { name: 'Engine', cell: (row) => <span class="mono">{row.engine}</span> },
        { name: 'Model', cell: (row) => <span class="mono">{row.model ?? '–'}</span> },
        { name: 'Account', wide: true, cell: (row) => row.account ?? '–' },
        {
          name: 'Cost',
          numeric: true,
          cell: (row) => <Cost of={row} />,
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
