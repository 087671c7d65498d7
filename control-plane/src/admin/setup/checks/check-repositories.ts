import type { GitHindrance } from '@switchyard/shared/api/git-hindrance';
import { shownRepository } from '@switchyard/shared/text/repository-url';
import { UNUSABLE_ROUTE } from '../../../config/route-problems.ts';
import type { Deps } from '../../../deps.ts';
import type { createGetGitContext } from '../../../runners/git/get-git-context.ts';
import { failedFinding, type Finding } from './finding.ts';

/** Checks which repositories runners reach; an unusable route counts as unreachable. */
export async function checkRepositories(
  deps: Pick<Deps, 'config'>,
  gitContext: ReturnType<typeof createGetGitContext>,
): Promise<Finding> {
  const found = await checkRepositoriesBriefly(gitContext);
  const unusable = deps.config
    .problems()
    .flatMap(({ code, message }) => (code === UNUSABLE_ROUTE ? [message] : []));
  const [first] = unusable;
  if (first === undefined) return found;
  return { ...found, ok: false, message: first, notes: [...unusable, ...found.notes] };
}

async function checkRepositoriesBriefly(
  gitContext: ReturnType<typeof createGetGitContext>,
): Promise<Finding> {
  const { routes, branches, reason } = await gitContext();
  if (routes.length === 0) return failedFinding('There is no repository yet');
  if (reason !== null)
    return { ...failedFinding(`Nobody can look yet: ${reason}`), isCheck: false };
  const hindered = (of: GitHindrance['of']) =>
    routes.flatMap(({ hindrance }) => (hindrance?.of === of ? [hindrance.message] : []));
  const broken = routes.find((route) => route.head === null);
  const [noPush] = hindered('push');
  const notes = routes.map((route) => {
    const count = branches.filter(({ repository }) => repository === route.url).length;
    const found = `work starts from ${route.head}, ${count} ${count === 1 ? 'branch' : 'branches'}`;
    return `${shownRepository(route.url)}: ${route.head === null ? (route.reason ?? 'not reached') : found}`;
  });
  const warnings = [...new Set(hindered('merge'))];
  if (broken !== undefined) {
    return {
      ok: false,
      message: broken.reason ?? `${shownRepository(broken.url)} was not reached`,
      notes,
      warnings,
    };
  }
  return noPush === undefined
    ? { ok: true, message: 'A runner reaches every repository', notes, warnings }
    : { ok: false, message: noPush, notes, warnings };
}
