import { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { repoRouteProblems } from '../repositories/repo-route-problems.ts';
import { listOf } from '../bounds/text.ts';

const Route = RepoRoute.superRefine((route, context) => {
  for (const { path, message } of repoRouteProblems(route)) {
    context.addIssue({ code: 'custom', path: [path], message });
  }
});

/** `repos`: label routes first, then the longest identifier prefix. */
export const ReposSection = listOf(Route, 1_000);
