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
const under = { getParentRoute: () => root };

/** A page that is fetched when somebody goes there. */
const view: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(() => retryImport(load), name);

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

const overview = createRoute({
  ...under,
  path: '/',
  component: OverviewPage,
});
const board = createRoute({
  ...under,
  path: '/board',
  validateSearch: (search: Record<string, unknown>) => texts(search, 'q', 'need', 'new'),
  component: view(() => import('./features/board/board-page.tsx'), 'BoardPage'),
});
const issue = createRoute({
  ...under,
  path: '/issues/$id',
  validateSearch: (search: Record<string, unknown>) => texts(search, 'attempt', 'view', 'line'),
  component: view(() => import('./features/issue/issue-page.tsx'), 'IssuePage'),
});
const compare = createRoute({
  ...under,
  path: '/issues/$id/compare',
  validateSearch: (search: Record<string, unknown>) => texts(search, 'left', 'right'),
  component: view(() => import('./features/compare/compare-page.tsx'), 'ComparePage'),
});
const feed = createRoute({
  ...under,
  path: '/feed',
  validateSearch: (search: Record<string, unknown>) => texts(search, 'area', 'issue'),
  component: view(() => import('./features/feed/feed-page.tsx'), 'FeedPage'),
});
const requests = createRoute({
  ...under,
  path: '/requests',
  component: view(() => import('./features/requests/requests-page.tsx'), 'RequestsPage'),
});
const pullRequests = createRoute({
  ...under,
  path: '/pull-requests',
  component: view(
    () => import('./features/pull-requests/pull-requests-page.tsx'),
    'PullRequestsPage',
  ),
});
const pullRequest = createRoute({
  ...under,
  path: '/pull-requests/$id',
  component: view(
    () => import('./features/pull-requests/pull-request-page.tsx'),
    'PullRequestPage',
  ),
});
const runners = createRoute({
  ...under,
  path: '/runners',
  component: view(() => import('./features/runners/runners-page.tsx'), 'RunnersPage'),
});
const costs = createRoute({
  ...under,
  path: '/costs',
  component: view(() => import('./features/costs/costs-page.tsx'), 'CostsPage'),
});
const notifications = createRoute({
  ...under,
  path: '/notifications',
  component: view(
    () => import('./features/notifications/notifications-page.tsx'),
    'NotificationsPage',
  ),
});
const automations = createRoute({
  ...under,
  path: '/automations',
  component: view(() => import('./features/automations/automations-page.tsx'), 'AutomationsPage'),
});
const alerts = createRoute({
  ...under,
  path: '/alerts',
  component: view(() => import('./features/alerts/alerts-page.tsx'), 'AlertsPage'),
});
const templates = createRoute({
  ...under,
  path: '/templates',
  validateSearch: (search: Record<string, unknown>) => texts(search, 'id'),
  component: view(() => import('./features/templates/templates-page.tsx'), 'TemplatesPage'),
});
const repositories = createRoute({
  ...under,
  path: '/repositories',
  component: view(() => import('./features/routes/routes-page.tsx'), 'RoutesPage'),
});
const config = createRoute({
  ...under,
  path: '/config',
  validateSearch: (search: Record<string, unknown>) => texts(search, 'section', 'view'),
  component: view(() => import('./features/config/config-page.tsx'), 'ConfigPage'),
});
const secrets = createRoute({
  ...under,
  path: '/secrets',
  component: view(() => import('./features/secrets/secrets-page.tsx'), 'SecretsPage'),
});
// Not `/webhooks`: there the service receives what others send.
const deliveries = createRoute({
  ...under,
  path: '/deliveries',
  component: view(() => import('./features/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
});
const workspaces = createRoute({
  ...under,
  path: '/workspaces',
  component: view(() => import('./features/workspaces/workspaces-page.tsx'), 'WorkspacesPage'),
});
const audit = createRoute({
  ...under,
  path: '/audit',
  component: view(() => import('./features/audit/audit-page.tsx'), 'AuditPage'),
});
const engine = createRoute({
  ...under,
  path: '/engine',
  validateSearch: (search: Record<string, unknown>) => texts(search, 'view', 'runner'),
  component: view(() => import('./features/engine/engine-page.tsx'), 'EnginePage'),
});
const docs = createRoute({
  ...under,
  path: '/docs/$page',
  component: view(() => import('./features/docs/docs-page.tsx'), 'DocsPage'),
});
const setup = createRoute({
  ...under,
  path: '/setup',
  validateSearch: (search: Record<string, unknown>) =>
    texts(search, 'step', 'code', 'state', 'error', 'error_description'),
  component: view(() => import('./features/setup/setup-page.tsx'), 'SetupPage'),
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
