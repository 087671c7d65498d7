import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';

/**
 * The route from a filled form: either a prefix or a label, and a branch only when one is given.
 */
export function routeFromForm(form: FormData): RepoRoute {
  const field = (name: string) => {
    const value = form.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const route: RepoRoute = { url: field('url') };
  if (field('by') === 'label') route.label = field('match');
  else route.prefix = field('match');
  const branch = field('branch');
  if (branch !== '') route.default_branch = branch;
  if (form.has('repositoryServers')) route.repository_servers = true;
  return route;
}
