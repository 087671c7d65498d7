import type { SetupStep, SetupStepName } from '@switchyard/shared/api/admin/setup';
import { useQuery } from '@tanstack/react-query';
import { type Setup, setupQuery } from '../setup/queries.ts';

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
  return missingIn(useQuery(setupQuery).data);
}

/**
 * Whether anything of that is missing, for what stands on each page: it reads until nothing is, and
 * then knows what other parts of the page read.
 */
export function useIsSetUp(): boolean {
  const { data } = useQuery({
    ...setupQuery,
    enabled: ({ state }) => missingIn(state.data)?.length !== 0,
  });
  return (missingIn(data) ?? []).length === 0;
}

const missingIn = (setup: Setup | undefined) =>
  setup?.steps.filter(({ step, done }) => !done && REQUIRED.has(step));
