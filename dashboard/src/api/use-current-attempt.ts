import type { Attempt } from '@switchyard/shared/api/work/attempt';
import { useQuery } from '@tanstack/react-query';
import { attemptsQuery } from './queries.ts';

/** The current attempt of an issue; undefined while there is none or none has been loaded. */
export function useCurrentAttempt(identifier: string): Attempt | undefined {
  const { data } = useQuery(attemptsQuery(identifier));
  return data?.attempts.find((entry) => entry.attemptId === data.currentAttemptId);
}
