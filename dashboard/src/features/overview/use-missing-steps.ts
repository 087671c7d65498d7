import type { SetupStep } from '@switchyard/shared/api/admin/setup';
import { useQuery } from '@tanstack/react-query';
import { type Setup, setupQuery } from '../setup/queries.ts';

/**
 * What is still to be set up, or set up so that its check fails, before an issue goes all the way;
 * undefined while nobody knows.
 */
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
  setup?.steps.filter(
    ({ step, isMain, state }) =>
      isMain && step !== 'issue' && (state === 'todo' || state === 'failed'),
  );
