import type { RepoRoute } from '@switchyard/shared/api/repo-route';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'preact/hooks';
import { addRepoRoute, removeRepoRoute } from '../../api/actions.ts';
import { repoRoutesQuery } from '../../api/queries.ts';
import { ConfirmButton } from '../../ui/confirm.tsx';
import { Icon } from '../../ui/icon.tsx';
import { QueryView } from '../../ui/panel-states.tsx';
import { Problem } from '../../ui/problem.tsx';
import { routeFromForm } from './route-from-form.ts';

/** The repository routes, in the order in which they are tried, and a form to add one. */
export function RepoRoutes() {
  const client = useQueryClient();
  const routes = useQuery(repoRoutesQuery);
  const stale = () => client.invalidateQueries({ queryKey: ['repo-routes'] });
  return (
    <>
      <QueryView query={routes} skeletonLines={2}>
        {(list) => (
          <ul class="rows">
            {list.routes.map((route, index) => (
              <li key={`${index}:${route.url}`}>
                <Icon name="branch" />
                <span class="tag">
                  {route.label === undefined ? `${route.prefix}…` : `label ${route.label}`}
                </span>
                <span class="mono wrap grow">
                  {route.url}
                  {route.default_branch !== undefined && (
                    <span class="quiet"> @{route.default_branch}</span>
                  )}
                </span>
                <ConfirmButton
                  label="Remove"
                  class="button small"
                  question="Remove this route?"
                  explanation={`Issues will no longer be sent to ${route.url}. What runs goes on.`}
                  confirmLabel="Remove"
                  danger
                  action={() => removeRepoRoute(index).finally(() => void stale())}
                />
              </li>
            ))}
          </ul>
        )}
      </QueryView>
      <AddRoute onAdded={stale} />
    </>
  );
}

function AddRoute({ onAdded }: { onAdded: () => Promise<void> }) {
  const form = useRef<HTMLFormElement>(null);
  const add = useMutation({
    mutationFn: (route: RepoRoute) => addRepoRoute(route),
    onSuccess: () => {
      form.current?.reset();
      return onAdded();
    },
  });
  return (
    <form
      ref={form}
      class="form route-form"
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate(routeFromForm(new FormData(event.currentTarget)));
      }}
    >
      <label class="stack">
        Issues by
        <select class="field" name="by">
          <option value="prefix">prefix</option>
          <option value="label">label</option>
        </select>
      </label>
      <label class="stack">
        Prefix or label
        <input
          class="field"
          name="match"
          required
          maxLength={64}
          placeholder="SY-"
          autoComplete="off"
        />
      </label>
      <label class="stack grow">
        Repository
        <input
          class="field mono"
          name="url"
          required
          maxLength={2048}
          placeholder="file:///srv/git/app.git"
          autoComplete="off"
        />
      </label>
      <label class="stack">
        Branch
        <input
          class="field mono"
          name="branch"
          maxLength={255}
          placeholder="its default"
          autoComplete="off"
        />
      </label>
      <button type="submit" class="button" disabled={add.isPending}>
        <Icon name="plus" size={14} /> Add
      </button>
      <Problem error={add.error} />
    </form>
  );
}
