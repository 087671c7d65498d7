import {
  createRootRoute,
  createRoute,
  type ErrorComponentProps,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { BoardPage } from './features/board/board-page.tsx';
import { PageNotFound } from './features/shell/page-not-found.tsx';
import { Shell } from './features/shell/shell.tsx';
import { LoadError, Skeleton } from './ui/panel-states.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: PageNotFound });

const board = createRoute({ getParentRoute: () => root, path: '/', component: BoardPage });
const issue = createRoute({
  getParentRoute: () => root,
  path: '/issues/$id',
  validateSearch: (search: Record<string, unknown>): { attempt?: string; view?: 'changes' } => ({
    ...(typeof search['attempt'] === 'string' ? { attempt: search['attempt'] } : {}),
    ...(search['view'] === 'changes' ? { view: 'changes' } : {}),
  }),
  component: lazyRouteComponent(() => import('./features/issue/issue-page.tsx'), 'IssuePage'),
});
const requests = createRoute({
  getParentRoute: () => root,
  path: '/requests',
  component: lazyRouteComponent(
    () => import('./features/requests/requests-page.tsx'),
    'RequestsPage',
  ),
});
const runners = createRoute({
  getParentRoute: () => root,
  path: '/runners',
  component: lazyRouteComponent(() => import('./features/runners/runners-page.tsx'), 'RunnersPage'),
});
const pullRequests = createRoute({
  getParentRoute: () => root,
  path: '/pull-requests',
  component: lazyRouteComponent(
    () => import('./features/pull-requests/pull-requests-page.tsx'),
    'PullRequestsPage',
  ),
});
const pullRequest = createRoute({
  getParentRoute: () => root,
  path: '/pull-requests/$id',
  component: lazyRouteComponent(
    () => import('./features/pull-requests/pull-request-page.tsx'),
    'PullRequestPage',
  ),
});
const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: lazyRouteComponent(() => import('./features/setup/setup-page.tsx'), 'SetupPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([board, issue, requests, runners, pullRequests, pullRequest, setup]),
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Skeleton lines={8} />,
  defaultErrorComponent: ({ error, reset }: ErrorComponentProps) => (
    <LoadError error={error} onRetry={reset} />
  ),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
