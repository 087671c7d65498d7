import { isReadMethod } from '../is-api-path.ts';
import type { Principal } from '../caller/environment-tokens.ts';

type Scope = Principal['scope'];

const RANK: Readonly<Record<Scope, number>> = { read: 0, operate: 1, admin: 2 };

/** Scopes of mutations by path; the first match applies. */
const RULES: readonly (readonly [RegExp, Scope])[] = [
  // Setup, configuration, access, and what agents may reach.
  [/^\/api\/v1\/(config|secrets|master-key|backup|tokens|setup|runners|templates)(\/|$)/, 'admin'],
  [/^\/api\/v1\/(sessions|session\/codes)$/, 'admin'],
  [/^\/api\/v1\/engine\/(account|mcp)(\/|$)/, 'admin'],
  // Daily operation.
  [/^\/api\/v1\/(refresh|pause|resume)$/, 'operate'],
  [/^\/api\/v1\/(requests|notifications|automations|alerts|webhooks|workspaces)\//, 'operate'],
  [/^\/api\/v1\/(engine|engines|local|merge-queue|pull-requests|attempts)\//, 'operate'],
  [
    /^\/api\/v1\/[^/]+\/(abort|retry|publish|deliver|steer|model|template|transition|sub-issues)$/,
    'operate',
  ],
];

/** The scope for a mutation on a path, as routed or as declared. Null when no rule matches. */
export function scopeByRule(path: string): Scope | null {
  return RULES.find(([pattern]) => pattern.test(path))?.[1] ?? null;
}

/** The scope that a request needs; without a rule the highest. */
export function neededScope(method: string, path: string): Scope {
  return isReadMethod(method) ? 'read' : (scopeByRule(path) ?? 'admin');
}

/** Whether one scope includes another. */
export function scopeCovers(has: Scope, needs: Scope): boolean {
  return RANK[has] >= RANK[needs];
}
