import { useQuery } from '@tanstack/react-query';
import { stateQuery } from '../../api/queries.ts';
import { formatCost, formatCount } from '../../format/number.ts';

/** What the whole service has used so far. */
export function Totals() {
  const { data } = useQuery(stateQuery);
  if (data === undefined) return null;
  const { tokens, cost_usd: costUsd, attempts } = data.totals;
  return (
    <dl class="totals">
      <div>
        <dt>Attempts</dt>
        <dd>{formatCount(attempts)}</dd>
      </div>
      <div>
        <dt>Tokens</dt>
        <dd>{formatCount(tokens.total)}</dd>
      </div>
      {costUsd !== null && (
        <div>
          <dt>Cost</dt>
          <dd>{formatCost(costUsd)}</dd>
        </div>
      )}
    </dl>
  );
}
