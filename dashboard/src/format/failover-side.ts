import { recordOf, textOf } from './text-of.ts';

/** One side of a failover as text: engine, model and account. */
export function failoverSide(side: unknown): string {
  const { engine, model, account } = recordOf(side);
  const parts = [textOf(engine), textOf(model)].filter((part) => part !== '').join(' / ');
  return textOf(account) === '' ? parts : `${parts} (account ${textOf(account)})`;
}
