import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { repoRoutesQuery } from '../../../api/queries.ts';
import { QueryView } from '../../../ui/data/query-view.tsx';
import { valueAt } from '../../config/value-at.ts';
import { configQuery } from '../../config/queries.ts';
import { GitHubForm } from './github-form.tsx';
import type { Setup } from '../queries.ts';

/** Pull requests of local repositories are stored here; those on GitHub need its token. */
export function CodeHostStep(_props: { setup: Setup }) {
  const routes = useQuery(repoRoutesQuery);
  const config = useQuery(configQuery).data;
  const connected = valueAt(config, 'codehost.github.token') !== undefined;
  return (
    <QueryView query={routes} skeletonLines={2}>
      {(list) => {
        const remote = list.routes.filter(({ url }) => !url.startsWith('file:'));
        if (list.routes.length === 0) {
          return (
            <p>
              The code host depends on your repositories.{' '}
              <Link to="/setup" search={{ step: 'repository' }}>
                Add a repository first
              </Link>
            </p>
          );
        }
        if (remote.length === 0) {
          return (
            <p>
              Your repositories are on the runner, so Switchyard hosts their pull requests, with
              diff, checks and merge. No setup is needed.
            </p>
          );
        }
        return (
          <>
            <p>A token lets the runner push and the service open pull requests for:</p>
            <ul class="plain-list">
              {remote.map(({ url }, position) => (
                <li key={position} class="mono wrap">
                  {url}
                </li>
              ))}
            </ul>
            <GitHubForm asTracker={false} connected={connected} />
          </>
        );
      }}
    </QueryView>
  );
}
