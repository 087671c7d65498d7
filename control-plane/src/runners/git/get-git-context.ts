import type { GitContext } from '@switchyard/shared/api/work/git-context';
import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { Deps } from '../../deps.ts';
import { connectedRunners } from '../session/connected-runners.ts';
import { askForContext, type RepositoryContext } from './ask-for-context.ts';
import { isWithin } from '../../is-within.ts';

/** How long a result is cached: reading a remote costs a fetch. */
const KEPT_MS = 15_000;
const MAX_REPOSITORIES = 100;
const ASKED_AT_ONCE = 4;
const MAX_BRANCHES = 5_000;

type Kept = { atMs: number; context: Promise<RepositoryContext> };

/**
 * Lists the branches and remotes of all routes. The control plane never runs git: runners read them
 * from their mirrors. A repository that cannot be read is listed with the reason and fails nothing.
 */
export function createGetGitContext(
  deps: Pick<Deps, 'db' | 'clock' | 'config' | 'connections'>,
): () => Promise<GitContext> {
  const kept = new Map<string, Kept>();

  function readContext(route: RepoRoute): Promise<RepositoryContext> {
    const key = keyOf(route);
    const nowMs = deps.clock.nowMs();
    const known = kept.get(key);
    if (known !== undefined && isWithin(nowMs, known.atMs, KEPT_MS)) return known.context;
    const context = askForContext(deps, route);
    kept.set(key, { atMs: nowMs, context });
    void context.then((found) => {
      // Failures are not cached, since a runner may have joined or a person may have fixed the
      // cause.
      const isWell = found.ok && found.value.hindrance === undefined;
      if (!isWell && kept.get(key)?.context === context) kept.delete(key);
    });
    return context;
  }

  return async () => {
    const { repos } = await deps.config.load();
    const connected = await connectedRunners(deps, []);
    const reason = connected.length > 0 ? null : 'no runner is connected';
    const wanted = new Map(repos.map((route) => [keyOf(route), route]));
    for (const key of kept.keys()) if (!wanted.has(key)) kept.delete(key);
    const seen = new Map<string, RepositoryContext>();
    const open = [...wanted].slice(0, MAX_REPOSITORIES);
    const work = async () => {
      for (let next = open.shift(); next !== undefined; next = open.shift()) {
        seen.set(next[0], await readContext(next[1]));
      }
    };
    await Promise.all(Array.from({ length: ASKED_AT_ONCE }, work));
    return assemble(repos, seen, reason);
  };
}

function keyOf(route: RepoRoute): string {
  return `${route.url}\n${route.default_branch ?? ''}`;
}

function assemble(
  repos: readonly RepoRoute[],
  seen: ReadonlyMap<string, RepositoryContext>,
  reason: string | null,
): GitContext {
  const branches = new Map<string, GitContext['branches'][number]>();
  const remotes = new Map<string, GitContext['remotes'][number]>();
  const routes = repos.map((route) => {
    const context = seen.get(keyOf(route)) ?? {
      ok: false,
      reason: 'there are too many routes',
    };
    if (!context.ok) return { ...route, head: null, reason: context.reason, hindrance: null };
    const { head, branches: names, remotes: urls, stale = null, hindrance = null } = context.value;
    for (const name of names) {
      const id = `${route.url}\n${name}`;
      const isDefault = name === head || branches.get(id)?.isDefault === true;
      branches.set(id, { name, repository: route.url, isDefault });
    }
    for (const url of urls) remotes.set(url, { name: 'origin', url, runnerId: context.runnerId });
    return { ...route, head, reason: stale, hindrance };
  });
  return {
    branches: [...branches.values()].slice(0, MAX_BRANCHES),
    remotes: [...remotes.values()],
    routes,
    reason,
    truncated: branches.size > MAX_BRANCHES,
  };
}
