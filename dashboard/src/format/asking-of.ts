import type { HumanRequest } from '@switchyard/shared/api/work/request';

/** What an agent waits for: the answer to a question, or the decision about its plan. */
export type Asking = 'question' | 'plan';

/**
 * What an issue's open requests are for; null: there are none. An attempt has ended when it hands in
 * a plan, so that a plan waits alone.
 */
export function askingOf([request]: readonly Pick<HumanRequest, 'plan'>[]): Asking | null {
  if (request === undefined) return null;
  return request.plan === null ? 'question' : 'plan';
}
