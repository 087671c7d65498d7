import type { MiddlewareHandler, NotFoundHandler } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import { AppError } from '../errors.ts';
import type { HttpEnv } from './bindings.ts';
import { isApiPath } from './is-api-path.ts';

/** The part of an app that is needed: its routes, complete before the first request. */
export type RoutedApp = { routes: readonly { method: string; path: string }[] };

type KnownRoute = { method: string; path: string };

/** Answers 404 to unknown paths. */
export function notFound(): NotFoundHandler<HttpEnv> {
  return function notFound(c) {
    throw new AppError('not_found', `${c.req.method} ${JSON.stringify(c.req.path)} not found`);
  };
}

/**
 * Answers 405 with `Allow` when a path exists but not with this method, and 204 to OPTIONS. The
 * most specific path decides: GET on /api/v1/refresh is no issue named "refresh".
 */
export function methodNotAllowed(app: RoutedApp): MiddlewareHandler<HttpEnv> {
  let methodsAt: ((path: string) => string[]) | null = null;
  return async function methodNotAllowed(c, next) {
    if (!isApiPath(c.req.path)) return next();
    methodsAt ??= indexRoutes(app.routes);
    const methods = methodsAt(c.req.path);
    if (methods.length === 0 || methods.includes(c.req.method)) return next();
    const allow = [...methods, 'OPTIONS'].join(', ');
    if (c.req.method === 'OPTIONS') return c.body(null, 204, { Allow: allow });
    throw new AppError('method_not_allowed', `${c.req.method} is not possible here; try ${allow}`, {
      headers: { Allow: allow },
    });
  };
}

/** Returns the methods of the most specific matching path, without middleware and catch-alls. */
function indexRoutes(routes: RoutedApp['routes']): (path: string) => string[] {
  const router = new TrieRouter<KnownRoute>();
  for (const { method, path } of routes) {
    if (method !== 'ALL' && !path.endsWith('*')) router.add('ALL', path, { method, path });
  }
  return (path) => {
    const matched = router.match('ALL', path)[0].map(([route]) => route);
    const [best] = matched.map((route) => route.path).sort(bySpecificity);
    const methods = new Set(matched.filter((route) => route.path === best).map((r) => r.method));
    if (methods.has('GET')) methods.add('HEAD');
    return [...methods].sort();
  };
}

/** Sorts paths so that at their first difference a literal segment comes first. */
function bySpecificity(left: string, right: string): number {
  const a = left.split('/');
  const b = right.split('/');
  for (const [index, segment] of a.entries()) {
    const rank = Number(segment.startsWith(':')) - Number((b[index] ?? ':').startsWith(':'));
    if (rank !== 0) return rank;
  }
  return 0;
}
