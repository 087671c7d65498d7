import type { ModelOverride, OverrideResponse } from '@switchyard/shared/api/work/issue';
import { isScriptedModel } from '@switchyard/shared/model-providers/scripted-model';
import type { Caller } from '../../http/caller/caller.ts';
import type { Deps } from '../../deps.ts';
import { askableNames, choiceAsked } from '../../config/provider/engine-choice.ts';
import { RESERVED_FOR_TRIAL } from '../../config/sections/routing/engine-problems.ts';
import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import { AppError } from '../../errors.ts';
import { overrideIssue } from './override-issue.ts';

/**
 * Sets engine and model of an issue's next attempts; null restores the configured ones. Throws a
 * 404, and a 400 for an engine that is not configured.
 */
export async function setIssueModel(
  deps: Pick<Deps, 'db' | 'clock' | 'config'>,
  input: { identifier: string; caller: Caller; override: ModelOverride | null },
): Promise<OverrideResponse> {
  const { identifier, caller, override } = input;
  if (isScriptedModel(override?.model ?? null)) {
    const message = `the model ${override?.model} ${RESERVED_FOR_TRIAL}`;
    const details = [{ path: 'model', message }];
    throw new AppError('bad_request', message, { reason: 'invalid_input', details });
  }
  if (override?.engine != null) requireEngine(await deps.config.load(), override.engine);
  return overrideIssue(deps, {
    identifier,
    caller,
    operation: override === null ? 'issue.model.clear' : 'issue.model.set',
    change: {
      model: override?.model ?? null,
      reasoning_effort: override?.reasoning_effort ?? null,
      engine: override?.engine ?? null,
    },
  });
}

function requireEngine(config: EffectiveConfig, asked: string): void {
  if (choiceAsked(config, asked) !== null) return;
  const known = askableNames(config).join(', ');
  const message = `no choice of engine is named ${asked}; there are ${known}`;
  throw new AppError('bad_request', message, {
    reason: 'invalid_input',
    details: [{ path: 'engine', message }],
  });
}
