import { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { z } from 'zod';
import { repoRouteProblems } from '../repositories/repo-route-problems.ts';

const Route = RepoRoute.superRefine((route, context) => {
  for (const { path, message } of repoRouteProblems(route)) {
    context.addIssue({ code: 'custom', path: [path], message });
  }
});

/** `repos`: label routes first, then the longest identifier prefix. */
export const ReposSection = z.array(Route).max(1_000);
