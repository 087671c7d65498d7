import {
  createRootRoute,
  createRoute,
  type ErrorComponentProps,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { OverviewPage } from './features/overview/overview-page.tsx';
import { PageNotFound } from './features/shell/page-not-found.tsx';
import { Shell } from './features/shell/shell.tsx';
import { retryImport } from './ui/data/retry-import.ts';
import { LoadError, Skeleton } from './ui/data/query-view.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: PageNotFound });
const under = () => root;

/** Of an address only texts are taken, and only those a page knows. */
function texts<K extends string>(search: Record<string, unknown>, ...keys: K[]) {
  const found: Partial<Record<K, string>> = {};
  for (const key of keys) {
    const value = search[key];
    // The router reads `7` as a number and `true` as a boolean.
    if (['string', 'number', 'boolean'].includes(typeof value)) found[key] = String(value);
  }
  return found;
}

const overview = createRoute({ getParentRoute: under, path: '/', component: OverviewPage });
const board = createRoute({
  getParentRoute: under,
  path: '/board',
  validateSearch: (search: Record<string, unknown>) => texts(search, 'q', 'need', 'new'),
  component: lazyRouteComponent(
    () => retryImport(() => import('./features/board/board-page.tsx')),
    'BoardPage',
  ),
});
const issue = createRoute({
  getParentRoute: under,
  path: '/issues/$id',
  validateSearch: (search: Record<string, unknown>) => texts(search, 'attempt', 'view', 'line'),
  component: lazyRouteComponent(
    () => retryImport(() => import('./features/issue/issue-page.tsx')),
    'IssuePage',
  ),
});
const compare = createRoute({
  getParentRoute: under,
  path: '/issues/$id/compare',
  validateSearch: (search: Record<string, unknown>) => texts(search, 'left', 'right'),
  component: lazyRouteComponent(
    () => retryImport(() => import('./features/compare/compare-page.tsx')),
    'ComparePage',
  ),
});
const feed = createRoute({
  getParentRoute: under,
  path: '/feed',
  validateSearch: (search: Record<string, unknown>) => texts(search, 'area', 'issue'),
  component: lazyRouteComponent(
    () => retryImport(() => import('./features/feed/feed-page.tsx')),
    'FeedPage',
  ),
});
const requests = createRoute({
  getParentRoute: under,
  path: '/requests',
  component: lazyRouteComponent(
    () => retryImport(() => import('./features/requests/requests-page.tsx')),
    'RequestsPage',
  ),
});
const pullRequests = createRoute({
  getParentRoute: under,
  path: '/pull-requests',
  component: lazyRouteComponent(
    () => retryImport(() => import('./features/pull-requests/pull-requests-page.tsx')),
    'PullRequestsPage',
  ),
});
const pullRequest = createRoute({
  getParentRoute: under,
  path: '/pull-requests/$id',
  component: lazyRouteComponent(
    () => retryImport(() => import('./features/pull-requests/pull-request-page.tsx')),
    'PullRequestPage',
  ),
});
const runners = createRoute({
  getParentRoute: under,
  path: '/runners',
  component: lazyRouteComponent(
    () => retryImport(() => import('./features/runners/runners-page.tsx')),
    'RunnersPage',
  ),
});
const costs = createRoute({
  getParentRoute: under,
  path: '/costs',
  component: lazyRouteComponent(
    () => retryImport(() => import('./features/costs/costs-page.tsx')),
    'CostsPage',
  ),
});
const notifications = createRoute({
  getParentRoute: under,
  path: '/notifications',
  component: lazyRouteComponent(
    () => retryImport(() => import('./features/notifications/notifications-page.tsx')),
    'NotificationsPage',
  ),
});
const automations = createRoute({
  getParentRoute: under,
  path: '/automations',
  component: lazyRouteComponent(
    () => retryImport(() => import('./features/automations/automations-page.tsx')),
    'AutomationsPage',
  ),
});
const alerts = createRoute({
  getParentRoute: under,
  path: '/alerts',
  component: lazyRouteComponent(
    () => retryImport(() => import('./features/alerts/alerts-page.tsx')),
    'AlertsPage',
  ),
});
const templates = createRoute({
  getParentRoute: under,
  path: '/templates',
  validateSearch: (search: Record<string, unknown>) => texts(search, 'id'),
  component: lazyRouteComponent(
    () => retryImport(() => import('./features/templates/templates-page.tsx')),
    'TemplatesPage',
  ),
});
const repositories = createRoute({
  getParentRoute: under,
  path: '/repositories',
  component: lazyRouteComponent(
    () => retryImport(() => import('./features/routes/routes-page.tsx')),
    'RoutesPage',
  ),
});
const config = createRoute({
  getParentRoute: under,
  path: '/config',
  validateSearch: (search: Record<string, unknown>) => texts(search, 'section', 'view'),
  component: lazyRouteComponent(
    () => retryImport(() => import('./features/config/config-page.tsx')),
    'ConfigPage',
  ),
});
const secrets = createRoute({
  getParentRoute: under,
  path: '/secrets',
  component: lazyRouteComponent(
    () => retryImport(() => import('./features/secrets/secrets-page.tsx')),
    'SecretsPage',
  ),
});
// Not `/webhooks`: there the service receives what others send.
const deliveries = createRoute({
  getParentRoute: under,
  path: '/deliveries',
  component: lazyRouteComponent(
    () => retryImport(() => import('./features/webhooks/webhooks-page.tsx')),
    'WebhooksPage',
  ),
});
const workspaces = createRoute({
  getParentRoute: under,
  path: '/workspaces',
  component: lazyRouteComponent(
    () => retryImport(() => import('./features/workspaces/workspaces-page.tsx')),
    'WorkspacesPage',
  ),
});
const audit = createRoute({
  getParentRoute: under,
  path: '/audit',
  component: lazyRouteComponent(
    () => retryImport(() => import('./features/audit/audit-page.tsx')),
    'AuditPage',
  ),
});
const engine = createRoute({
  getParentRoute: under,
  path: '/engine',
  validateSearch: (search: Record<string, unknown>) => texts(search, 'view', 'runner'),
  component: lazyRouteComponent(
    () => retryImport(() => import('./features/engine/engine-page.tsx')),
    'EnginePage',
  ),
});
const docs = createRoute({
  getParentRoute: under,
  path: '/docs/$page',
  component: lazyRouteComponent(
    () => retryImport(() => import('./features/docs/docs-page.tsx')),
    'DocsPage',
  ),
});
const setup = createRoute({
  getParentRoute: under,
  path: '/setup',
  validateSearch: (search: Record<string, unknown>) =>
    texts(search, 'step', 'code', 'state', 'error', 'error_description'),
  component: lazyRouteComponent(
    () => retryImport(() => import('./features/setup/setup-page.tsx')),
    'SetupPage',
  ),
});

export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    board,
    issue,
    compare,
    feed,
    requests,
    pullRequests,
    pullRequest,
    runners,
    costs,
    notifications,
    automations,
    alerts,
    templates,
    repositories,
    config,
    secrets,
    deliveries,
    workspaces,
    audit,
    engine,
    docs,
    setup,
  ]),
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
