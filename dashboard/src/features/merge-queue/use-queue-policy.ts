import { useQuery } from '@tanstack/react-query';
import { repoRoutesQuery } from '../../api/queries.ts';
import { policyOf, type QueuePolicy } from './policy-of.ts';

/** The merge policy of a repository; null while it is not known, and where people merge. */
export function useQueuePolicy(repositoryUrl: string): QueuePolicy | null {
  return policyOf(useQuery(repoRoutesQuery).data?.routes, repositoryUrl);
}
