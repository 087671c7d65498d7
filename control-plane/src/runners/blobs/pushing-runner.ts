import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { connectedRunners } from '../session/connected-runners.ts';

/**
 * A connected runner that may push for an issue with these labels, preferably the one whose mirror
 * has the work. Throws `unavailable` when there is none.
 */
export async function pushingRunner(
  deps: Pick<Deps, 'db' | 'connections'>,
  issueLabels: readonly string[],
  preferred: string | null,
): Promise<string> {
  const ids = await connectedRunners(deps, issueLabels);
  const found = ids.find((id) => id === preferred) ?? ids[0];
  if (found === undefined)
    throw new AppError('unavailable', 'no runner is connected that could push', {
      reason: 'no_runner',
    });
  return found;
}
