import { type CostSum, costWords, lackingWords } from '@switchyard/shared/usage/cost-words';

/** What `≥` says, once on a page where one of its sums has it. */
export function AtLeastNote({ of }: { of: readonly CostSum[] }) {
  if (!of.some((sum) => costWords(sum)?.startsWith('≥'))) return null;
  return <p class="quiet">≥: at least; some of the work was done by models without a price.</p>;
}

/** A cost that says where it lacks work without a price; a dash where there was no work. */
export function Cost({ of }: { of: CostSum }) {
  const lacks = lackingWords(of);
  if (lacks === null) return <>{costWords(of) ?? '–'}</>;
  return <span title={lacks}>{costWords(of)}</span>;
}
