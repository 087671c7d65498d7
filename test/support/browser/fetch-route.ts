import type { APIResponse, Route } from 'playwright-core';

/** Tries beyond the first. */
const MAX_RETRIES = 2;

/**
 * What the service answers to a request that a test holds. It is asked on a connection of Playwright's own,
 * which the service may have closed as idle at just that moment: a browser would ask again by itself.
 */
export function fetchRoute(
  route: Route,
  options: { headers?: Record<string, string> } = {},
): Promise<APIResponse> {
  return route.fetch({ maxRetries: MAX_RETRIES, ...options });
}
