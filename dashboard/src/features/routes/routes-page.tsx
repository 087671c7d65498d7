import { useQuery } from '@tanstack/react-query';
import { repoRoutesQuery } from '../../api/queries.ts';
import { ListPage } from '../../ui/data/list-page.tsx';
import { EmptyState } from '../../ui/data/query-view.tsx';
import { AddRoute } from './add-route.tsx';
import { RepoRoutes } from './repo-routes.tsx';
import './routes.css';

/** The repositories of issues, and whether a runner can access each. */
export function RoutesPage() {
  const routes = useQuery(repoRoutesQuery);
  return (
    <ListPage
      title="Repositories"
      about="An issue goes to the first repository with a matching label, otherwise to the one with the longest matching prefix."
      query={routes}
    >
      {(list) => (
        <>
          {list.routes.length === 0 ? (
            <EmptyState icon="route" title="No repositories">
              <p>Add a repository below so that agents can start on issues.</p>
            </EmptyState>
          ) : (
            <RepoRoutes routes={list.routes} />
          )}
          <section class="panel add-route" aria-labelledby="add-route-title">
            <h2 id="add-route-title">Add a repository</h2>
            <AddRoute />
          </section>
        </>
      )}
    </ListPage>
  );
}
