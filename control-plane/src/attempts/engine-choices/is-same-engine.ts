import { isScriptedModel } from '@switchyard/shared/model-providers/scripted-model';
import type { EngineChoice } from '../../config/provider/engine-choice.ts';
import { engineName } from '../../config/sections/routing/format-problem.ts';
import type { AttemptRow } from '../../db/schema/work/attempts.ts';

/**
 * Whether an attempt and a choice are the same engine on the same account. The script is an account
 * of its own: no model goes on with what it said, nor the other way round.
 */
export function isSameEngine(
  attempt: Pick<AttemptRow, 'engine' | 'account' | 'model'>,
  choice: EngineChoice,
): boolean {
  const sameEngine = engineName(attempt.engine) === engineName(choice.engine);
  const sameSide = isScriptedModel(attempt.model) === isScriptedModel(choice.model);
  return sameEngine && sameSide && (attempt.account ?? undefined) === choice.account;
}
