import { isScriptedModel } from '@switchyard/shared/model-providers/scripted-model';
import type { EngineChoice } from '../../config/provider/engine-choice.ts';
import { engineName } from '../../config/sections/routing/format-problem.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';

/**
 * Whether an attempt and a choice use the same engine and account. A trial's scripted model counts
 * as an account of its own: its threads are never resumed by a real model, or the other way round.
 */
export function isSameEngine(
  attempt: Pick<AttemptRow, 'engine' | 'account' | 'model'>,
  choice: EngineChoice,
): boolean {
  const sameEngine = engineName(attempt.engine) === engineName(choice.engine);
  const sameSide = isScriptedModel(attempt.model) === isScriptedModel(choice.model);
  return sameEngine && sameSide && (attempt.account ?? undefined) === choice.account;
}
