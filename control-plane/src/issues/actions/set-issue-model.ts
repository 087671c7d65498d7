import type { ModelOverride, OverrideResponse } from '@switchyard/shared/api/work/issue';
import type { Caller } from '../../observe/audit/caller.ts';
import type { Deps } from '../../deps.ts';
import { overrideIssue } from './override-issue.ts';

/** The model of an issue's next attempts; null goes back to the configured one. Throws a 404. */
export function setIssueModel(
  deps: Pick<Deps, 'db' | 'clock' | 'events'>,
  input: { identifier: string; caller: Caller; override: ModelOverride | null },
): Promise<OverrideResponse> {
  const { identifier, caller, override } = input;
  return overrideIssue(deps, {
    identifier,
    caller,
    operation: override === null ? 'issue.model.clear' : 'issue.model.set',
    change: {
      model: override?.model ?? null,
      reasoning_effort: override?.reasoning_effort ?? null,
    },
  });
}
