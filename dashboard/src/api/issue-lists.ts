import type { IssueGroup, ListedIssue } from '@switchyard/shared/api/work/issue-list';
import { useInfiniteQuery } from '@tanstack/react-query';
import { answer, api } from './api.ts';
import { offsetQuery } from './read-query.ts';

const PAGE = '100';

/** The issues of a group, page by page, with the counts of all groups. */
export const issueListQuery = (group: IssueGroup) =>
  offsetQuery(
    ['issues', group],
    (offset, end) => answer(api.issues.$get({ query: { group, limit: PAGE, offset } }, end)),
    (page) => page.issues,
  );

const NOBODY: readonly ListedIssue[] = [];

/**
 * The issues that every part of the dashboard counts and lists as "needs you", and the counts of
 * the groups. Until they are loaded, `issues` is empty and `counts` undefined. Questions come
 * first, so the first page has the most urgent ones.
 */
export function useNeedingPerson() {
  const query = useInfiniteQuery(issueListQuery('person'));
  const pages = query.data?.pages;
  const first = pages?.[0];
  return {
    query,
    counts: first?.counts,
    issues: pages === undefined ? NOBODY : pages.flatMap((page) => page.issues),
    slotsAwaitAnswers: first?.slotsAwaitAnswers ?? false,
  };
}
