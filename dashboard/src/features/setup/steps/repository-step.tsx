import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { repoRoutesQuery } from '../../../api/queries.ts';
import { Icon } from '../../../ui/marks/icon.tsx';
import { QueryView } from '../../../ui/data/query-view.tsx';
import { AddRoute } from '../../routes/add-route.tsx';
import { RepoRoutes } from '../../routes/repo-routes.tsx';
import { addRoute, refreshSetup, type Setup } from '../queries.ts';

/** The repositories, and one more. The runner looks at them; the service itself never runs git. */
export function RepositoryStep({ setup }: { setup: Setup }) {
  const client = useQueryClient();
  const routes = useQuery(repoRoutesQuery);
  return (
    <>
      <QueryView query={routes} skeletonLines={2}>
        {(list) => (list.routes.length === 0 ? null : <RepoRoutes routes={list.routes} />)}
      </QueryView>
      <Twice routes={routes.data?.routes ?? []} />
      <p class="quiet">
        Built-in issues start with {setup.localPrefix}-, Linear issues with the team key, GitHub
        issues with GH-. A file:// URL is a repository on the runner, in a folder that its operator
        allows.
      </p>
      <AddRoute
        prefix={setup.tracker.kind === 'github' ? 'GH-' : `${setup.localPrefix}-`}
        add={addRoute}
        onAdded={() => void refreshSetup(client, 'repository', 'code_host')}
      />
    </>
  );
}

/** Whoever corrects an address by adding it again has two, of which the old one is taken. */
function Twice({ routes }: { routes: readonly RepoRoute[] }) {
  const matchOf = (route: RepoRoute) => route.label ?? route.prefix;
  const twice = routes.find((route, position) =>
    routes.slice(0, position).some((before) => matchOf(before) === matchOf(route)),
  );
  if (twice === undefined) return null;
  return (
    <p class="note warning">
      <Icon name="warning" size={14} />
      Two repositories match {matchOf(twice)}. The first one is used; remove the wrong one.
    </p>
  );
}
