import {
  createRootRoute,
  createRoute,
  type ErrorComponentProps,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
  Link,
} from '@tanstack/react-router';
import { OverviewPage } from './features/overview/overview-page.tsx';
import { Shell } from './features/shell/shell.tsx';
import { retryImport } from './ui/data/retry-import.ts';
import { LoadError, Skeleton, EmptyState } from './ui/data/query-view.tsx';
import { Page } from './ui/layout/page.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: PageNotFound });

/** A page whose code is fetched when somebody opens it. */
const view: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(() => retryImport(load), name);

/** Reads an address's search parameters as strings, and only those that the page uses. */
function texts<K extends string>(search: Record<string, unknown>, ...keys: K[]) {
  const found: Partial<Record<K, string>> = {};
  for (const key of keys) {
    const value = search[key];
    // The router parses `7` as a number and `true` as a boolean.
    if (['string', 'number', 'boolean'].includes(typeof value)) found[key] = String(value);
  }
  return found;
}

/** A page at a path, which reads these texts of its address. */
function page<const Path extends string, Key extends string = never>(
  path: Path,
  component: RouteComponent,
  ...keys: Key[]
) {
  const validateSearch = (search: Record<string, unknown>) => texts(search, ...keys);
  return createRoute({ getParentRoute: () => root, path, component, validateSearch });
}

export const router = createRouter({
  routeTree: root.addChildren([
    page('/', OverviewPage),
    page(
      '/board',
      view(() => import('./features/board/board-page.tsx'), 'BoardPage'),
      'q',
      'need',
      'new',
    ),
    page(
      '/issues/$id',
      view(() => import('./features/issue/issue-page.tsx'), 'IssuePage'),
      'attempt',
      'view',
      'line',
    ),
    page(
      '/issues/$id/compare',
      view(() => import('./features/compare/compare-page.tsx'), 'ComparePage'),
      'left',
      'right',
    ),
    page(
      '/feed',
      view(() => import('./features/feed/feed-page.tsx'), 'FeedPage'),
      'area',
      'issue',
    ),
    page(
      '/requests',
      view(() => import('./features/requests/requests-page.tsx'), 'RequestsPage'),
    ),
    page(
      '/pull-requests',
      view(() => import('./features/pull-requests/pull-requests-page.tsx'), 'PullRequestsPage'),
    ),
    page(
      '/pull-requests/$id',
      view(() => import('./features/pull-requests/pull-request-page.tsx'), 'PullRequestPage'),
    ),
    page(
      '/merge-queue',
      view(() => import('./features/merge-queue/merge-queue-page.tsx'), 'MergeQueuePage'),
    ),
    page(
      '/runners',
      view(() => import('./features/runners/runners-page.tsx'), 'RunnersPage'),
    ),
    page(
      '/costs',
      view(() => import('./features/costs/costs-page.tsx'), 'CostsPage'),
    ),
    page(
      '/notifications',
      view(() => import('./features/notifications/notifications-page.tsx'), 'NotificationsPage'),
    ),
    page(
      '/automations',
      view(() => import('./features/automations/automations-page.tsx'), 'AutomationsPage'),
    ),
    page(
      '/alerts',
      view(() => import('./features/alerts/alerts-page.tsx'), 'AlertsPage'),
    ),
    page(
      '/templates',
      view(() => import('./features/templates/templates-page.tsx'), 'TemplatesPage'),
      'id',
    ),
    page(
      '/repositories',
      view(() => import('./features/routes/routes-page.tsx'), 'RoutesPage'),
    ),
    page(
      '/config',
      view(() => import('./features/config/config-page.tsx'), 'ConfigPage'),
      'section',
      'view',
    ),
    page(
      '/secrets',
      view(() => import('./features/secrets/secrets-page.tsx'), 'SecretsPage'),
    ),
    // Not `/webhooks`, where the service receives webhooks from other systems.
    page(
      '/deliveries',
      view(() => import('./features/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
    ),
    page(
      '/workspaces',
      view(() => import('./features/workspaces/workspaces-page.tsx'), 'WorkspacesPage'),
    ),
    page(
      '/audit',
      view(() => import('./features/audit/audit-page.tsx'), 'AuditPage'),
    ),
    page(
      '/engine',
      view(() => import('./features/engine/engine-page.tsx'), 'EnginePage'),
      'view',
      'runner',
      'engine',
    ),
    page(
      '/docs',
      view(() => import('./features/docs/docs-page.tsx'), 'DocsStart'),
    ),
    page(
      '/docs/$page',
      view(() => import('./features/docs/docs-page.tsx'), 'DocsPage'),
    ),
    page(
      '/settings',
      view(() => import('./features/settings/settings-page.tsx'), 'SettingsPage'),
    ),
    page(
      '/setup',
      view(() => import('./features/setup/setup-page.tsx'), 'SetupPage'),
      'step',
      'code',
      'state',
      'error',
      'error_description',
    ),
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

function PageNotFound() {
  return (
    <Page title="Not found">
      <EmptyState icon="branch" title="Page not found">
        <p>
          The address is wrong or the page was removed. <Link to="/">Go to the overview</Link>
        </p>
      </EmptyState>
    </Page>
  );
}
