import type { SetupStep, SetupStepName } from '@switchyard/shared/api/admin/setup';
import { useQuery } from '@tanstack/react-query';
import { setupQuery } from '../setup/queries.ts';

/** Without these no issue starts, or its work reaches nobody; the other steps are good advice. */
const REQUIRED: ReadonlySet<SetupStepName> = new Set([
  'tracker',
  'repository',
  'provider',
  'code_host',
  'runner',
]);

/** What is still to be set up before an issue can start; undefined while nobody knows. */
export function useMissingSteps(): SetupStep[] | undefined {
  const { data } = useQuery(setupQuery);
  return data?.steps.filter(({ step, done }) => !done && REQUIRED.has(step));
}
