import { costText } from '@switchyard/shared/usage/cost-text';
import { useQuery } from '@tanstack/react-query';
import { stateQuery } from '../../../api/queries.ts';
import { Cost } from '../../../ui/marks/cost.tsx';
import { formatCount } from '../../../format/format-count.ts';
import { Fact } from '../../../ui/data/fact.tsx';

/** Placeholders that reserve space until the totals are loaded. */
const UNKNOWN = { tokens: null, cost_usd: null, unpriced_tokens: 0, attempts: null };

/** The service's total usage so far. */
export function Totals() {
  const { data } = useQuery(stateQuery);
  const { tokens, attempts, ...totals } = data?.totals ?? UNKNOWN;
  const cost = { costUsd: totals.cost_usd, unpricedTokens: totals.unpriced_tokens };
  return (
    <dl class="totals">
      <Fact name="Attempts">{attempts === null ? '–' : formatCount(attempts)}</Fact>
      <Fact name="Tokens">{tokens === null ? '–' : formatCount(tokens.total)}</Fact>
      {costText(cost) !== null && (
        <Fact name="Cost">
          <Cost of={cost} />
        </Fact>
      )}
    </dl>
  );
}
