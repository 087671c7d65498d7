import type { RepoRoute } from '@switchyard/shared/api/repo-route';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'preact/hooks';
import { addRepoRoute } from '../../api/actions.ts';
import { repoRoutesQuery } from '../../api/queries.ts';
import { Icon } from '../../ui/icon.tsx';
import { Problem } from '../../ui/problem.tsx';
import { say } from '../../ui/toast.tsx';
import { gitContextQuery } from './queries.ts';
import { routeFromForm } from './route-from-form.ts';
import './add-route.css';

/** A form for one more repository; `prefix` is what it proposes, `onAdded` is told of success. */
export function AddRoute(props: {
  prefix?: string;
  onAdded?: () => void;
  add?: (route: RepoRoute) => Promise<unknown>;
}) {
  const { prefix = '', onAdded } = props;
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const add = useMutation({
    mutationFn: (route: RepoRoute) => (props.add ?? addRepoRoute)(route),
    onSuccess: async (_routes, route) => {
      form.current?.reset();
      say(`${route.url} is a repository now.`);
      onAdded?.();
      await Promise.all([
        client.invalidateQueries({ queryKey: repoRoutesQuery.queryKey }),
        client.invalidateQueries({ queryKey: gitContextQuery.queryKey }),
      ]);
    },
  });
  return (
    <form
      ref={form}
      class="route-form"
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
          class="field mono"
          name="match"
          required
          maxLength={64}
          defaultValue={prefix}
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
          placeholder="https://github.com/team/app.git or file:///srv/git/app.git"
          autoComplete="off"
          spellcheck={false}
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
