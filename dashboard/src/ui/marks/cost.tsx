import { type CostSum, costWords, lackingWords } from '@switchyard/shared/usage/cost-words';

/** A cost that says where it lacks work without a price; a dash where there was no work. */
export function Cost({ of }: { of: CostSum }) {
  const lacks = lackingWords(of);
  if (lacks === null) return <>{costWords(of) ?? '–'}</>;
  return <span title={lacks}>{costWords(of)}</span>;
}
