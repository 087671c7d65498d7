import type { ModelPrice } from '@switchyard/shared/api/work/usage';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { usageQuery } from '../../api/queries.ts';
import { Icon } from '../../ui/marks/icon.tsx';
import { unpricedModels } from './price-rows.ts';

/** Days over which costs are summed up: a month. */
export const COST_DAYS = 31;

/** Models in use without a price, with a link to the form; nothing while all have one. */
export function MissingPrices() {
  const models = useQuery(usageQuery(COST_DAYS)).data?.prices.models ?? [];
  return <MissingPricesOf models={models} />;
}

export function MissingPricesOf({ models }: { models: readonly ModelPrice[] }) {
  const missing = unpricedModels(models);
  if (missing.length === 0) return null;
  return (
    <p class="note wrap">
      <Icon name="cost" size={14} />
      <span>
        No price is known for {missing.join(', ')}. Costs are shown without their work.{' '}
        <Link to="/costs" hash="prices">
          Set prices
        </Link>
      </span>
    </p>
  );
}
