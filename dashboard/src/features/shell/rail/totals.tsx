import { useQuery } from '@tanstack/react-query';
import { stateQuery } from '../../../api/queries.ts';
import { formatCost, formatCount } from '../../../format/format-count.ts';

/** They have their place before they are known. */
const UNKNOWN = { tokens: null, cost_usd: null, attempts: null };

/** What the whole service has used so far. */
export function Totals() {
  const { data } = useQuery(stateQuery);
  const { tokens, cost_usd: costUsd, attempts } = data?.totals ?? UNKNOWN;
  return (
    <dl class="totals">
      <div>
        <dt>Attempts</dt>
        <dd>{attempts === null ? '–' : formatCount(attempts)}</dd>
      </div>
      <div>
        <dt>Tokens</dt>
        <dd>{tokens === null ? '–' : formatCount(tokens.total)}</dd>
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
