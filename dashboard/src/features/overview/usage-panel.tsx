import type { Usage, UsageDay } from '@switchyard/shared/api/work/usage';
import { costText, formatCost, sumCosts } from '@switchyard/shared/usage/cost-text';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { usageQuery } from '../../api/queries.ts';
import { formatCount, plural } from '../../format/format-count.ts';
import { DayChart } from '../../ui/chart/day-chart.tsx';
import { AtLeastNote } from '../../ui/marks/cost.tsx';
import { QueryView } from '../../ui/data/query-view.tsx';

/** Number of days in the overview's chart. */
export const USAGE_DAYS = 14;

/** Usage and results by day: tokens, cost and outcomes of attempts. */
export function UsagePanel() {
  const usage = useQuery(usageQuery(USAGE_DAYS));
  return (
    <section class="panel overview-charts" aria-label="Usage over time">
      <QueryView query={usage} skeletonLines={8}>
        {({ days, prices }) => (
          <>
            <Charts days={days} />
            <AtLeastNote of={days} />
            <PriceNote prices={prices} />
          </>
        )}
      </QueryView>
    </section>
  );
}

const whole = (value: number) => (Number.isInteger(value) ? String(value) : '');

/**
 * Attempts that failed, were blocked or ended without a result, except those that another one
 * continues.
 */
const withoutResult = (day: UsageDay) => day.failed + day.completed - day.delivered - day.continued;

/** The prices behind the costs, and what the costs do not include. */
function PriceNote({ prices }: { prices: Usage['prices'] }) {
  const { missing, listed, readOn, source } = prices;
  return (
    <>
      {listed.length > 0 && (
        <p class="quiet wrap">
          Cost of {listed.join(', ')} at{' '}
          <a href={source} target="_blank" rel="noreferrer noopener">
            list prices as of {readOn}
          </a>
          ; check with your provider.{' '}
          <Link to="/costs" hash="prices">
            Set your own prices
          </Link>
        </p>
      )}
      {missing.length > 0 && (
        <p class="quiet wrap">
          No price is known for {missing.join(', ')}: costs are shown without their work.{' '}
          <Link to="/costs" hash="prices">
            Set prices
          </Link>
        </p>
      )}
    </>
  );
}

function Charts({ days }: { days: UsageDay[] }) {
  const names = days.map((entry) => entry.day);
  const costs = days.map((entry) => entry.costUsd);
  const sum = (pick: (entry: UsageDay) => number) =>
    days.reduce((total, entry) => total + pick(entry), 0);
  const done = sum((entry) => entry.delivered);
  const without = sum(withoutResult);
  const cost = sumCosts(days);
  return (
    <>
      <DayChart
        title="Success rate"
        answer={`${plural(done, 'attempt')} done, ${without} not done in ${days.length} days`}
        days={names}
        series={[
          { name: 'done', token: '--good', values: days.map((entry) => entry.delivered) },
          { name: 'not done', token: '--bad', values: days.map(withoutResult) },
        ]}
        format={whole}
      />
      <DayChart
        title="Token usage"
        answer={`${formatCount(sum((entry) => entry.tokens))} tokens in ${days.length} days`}
        days={names}
        series={[{ name: 'tokens', token: '--run', values: days.map((entry) => entry.tokens) }]}
        format={formatCount}
      />
      {(cost.costUsd ?? 0) > 0 && (
        <DayChart
          title="Cost"
          answer={`${costText(cost)} in ${days.length} days`}
          days={names}
          series={[{ name: 'cost', token: '--accent', values: costs }]}
          format={formatCost}
          readout={(at) => (days[at] && costText(days[at])) ?? '–'}
        />
      )}
    </>
  );
}
