import type { EngineChoice } from '../../admin/config/provider/engine-choice.ts';
import { engineName } from '../../admin/config/sections/routing/format-problem.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';

/** Whether an attempt and a choice are the same engine on the same account. */
export function isSameEngine(
  attempt: Pick<AttemptRow, 'engine' | 'account'>,
  choice: EngineChoice,
): boolean {
  const sameEngine = engineName(attempt.engine) === engineName(choice.engine);
  return sameEngine && (attempt.account ?? undefined) === choice.account;
}
