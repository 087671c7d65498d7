import { useQuery } from '@tanstack/react-query';
import { stateQuery } from '../../../api/queries.ts';
import { formatCost, formatCount } from '../../../format/format-count.ts';
import { Fact } from '../../../ui/data/fact.tsx';

/** They have their place before they are known. */
const UNKNOWN = { tokens: null, cost_usd: null, attempts: null };

/** What the whole service has used so far. */
export function Totals() {
  const { data } = useQuery(stateQuery);
  const { tokens, cost_usd: costUsd, attempts } = data?.totals ?? UNKNOWN;
  return (
    <dl class="totals">
      <Fact name="Attempts">{attempts === null ? '–' : formatCount(attempts)}</Fact>
      <Fact name="Tokens">{tokens === null ? '–' : formatCount(tokens.total)}</Fact>
      {costUsd !== null && <Fact name="Cost">{formatCost(costUsd)}</Fact>}
    </dl>
  );
}
