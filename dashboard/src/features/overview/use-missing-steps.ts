import type { SetupStep } from '@switchyard/shared/api/admin/setup';
import { useQuery } from '@tanstack/react-query';
import { type Setup, setupQuery } from '../setup/queries.ts';

/**
 * Steps of the setup that are missing or fail their check, before an issue can go all the way;
 * undefined until they are loaded.
 */
export function useMissingSteps(): SetupStep[] | undefined {
  return missingIn(useQuery(setupQuery).data);
}

/**
 * Whether no step of the setup is known to be missing, for parts of every page: queries until the
 * setup is complete, and after that uses what other parts of the page load.
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
