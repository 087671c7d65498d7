import { type CostSum, costText, lackingText } from '@switchyard/shared/usage/cost-text';

/** Explains `≥`, once per page where one of its sums has it. */
export function AtLeastNote({ of }: { of: readonly CostSum[] }) {
  if (!of.some((sum) => costText(sum)?.startsWith('≥'))) return null;
  return <p class="quiet">≥: at least; some of the work was done by models without a price.</p>;
}

/**
 * A cost that shows where work without a price is missing from it; a dash where there was no work.
 */
export function Cost({ of }: { of: CostSum }) {
  const lacks = lackingText(of);
  if (lacks === null) return <>{costText(of) ?? '–'}</>;
  return <span title={lacks}>{costText(of)}</span>;
}
