import { useQuery } from '@tanstack/react-query';
import { setupQuery } from '../setup/queries.ts';

const BUILT_IN = 'local';

/** Whether issues come from an external tracker: the built-in one needs no sync. */
export function useCanSync(): boolean {
  const { data } = useQuery({ ...setupQuery, refetchInterval: false });
  return (data?.tracker.kind ?? BUILT_IN) !== BUILT_IN;
}
