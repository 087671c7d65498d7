import type { OutsideScope } from '@switchyard/shared/evidence/scope';
import type { AttemptSpec } from '@switchyard/shared/protocol/attempt-spec';
import { plainLine } from '@switchyard/shared/text/plain-text';

/**
 * The runner's report of files outside the declared scope; null if the repository declares no
 * scope, or the runner reported nothing.
 */
export function reportedOutsideScope(
  { scope }: Pick<AttemptSpec, 'scope'>,
  told: OutsideScope | undefined,
): OutsideScope | null {
  if (scope === undefined || told === undefined) return null;
  const paths = told.paths.map((path) => plainLine(path) || '?');
  return { files: Math.max(told.files, paths.length), paths };
}
