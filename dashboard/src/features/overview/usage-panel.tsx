import type { UsageDay } from '@switchyard/shared/api/usage';
import { useQuery } from '@tanstack/react-query';
import { usageQuery } from '../../api/queries.ts';
import { formatCost, formatCount, plural } from '../../format/number.ts';
import { DayChart } from '../../ui/chart/day-chart.tsx';
import { QueryView } from '../../ui/panel-states.tsx';

/** How far back the overview looks. */
export const USAGE_DAYS = 14;

/** What is used and whether it pays: tokens, cost and ends of attempts by day. */
export function UsagePanel() {
  const usage = useQuery(usageQuery(USAGE_DAYS));
  return (
    <section class="panel overview-charts" aria-label="Use over time">
      <QueryView query={usage} skeletonLines={8}>
        {({ days }) => <Charts days={days} />}
      </QueryView>
    </section>
  );
}

const whole = (value: number) => (Number.isInteger(value) ? String(value) : '');

function Charts({ days }: { days: UsageDay[] }) {
  const names = days.map((entry) => entry.day);
  const costs = days.map((entry) => entry.costUsd);
  const sum = (pick: (entry: UsageDay) => number) =>
    days.reduce((total, entry) => total + pick(entry), 0);
  const completed = sum((entry) => entry.completed);
  const failed = sum((entry) => entry.failed);
  const cost = sum((entry) => entry.costUsd);
  return (
    <>
      <DayChart
        title="Do attempts succeed?"
        answer={`${plural(completed, 'attempt')} completed, ${failed} failed in ${days.length} days`}
        days={names}
        series={[
          { name: 'completed', token: '--good', values: days.map((entry) => entry.completed) },
          { name: 'failed', token: '--bad', values: days.map((entry) => entry.failed) },
        ]}
        format={whole}
      />
      <DayChart
        title="How many tokens?"
        answer={`${formatCount(sum((entry) => entry.tokens))} tokens in ${days.length} days`}
        days={names}
        series={[{ name: 'tokens', token: '--run', values: days.map((entry) => entry.tokens) }]}
        format={formatCount}
      />
      {cost > 0 && (
        <DayChart
          title="What does it cost?"
          answer={`${formatCost(cost)} in ${days.length} days`}
          days={names}
          series={[{ name: 'cost', token: '--accent', values: costs }]}
          format={formatCost}
        />
      )}
    </>
  );
}
