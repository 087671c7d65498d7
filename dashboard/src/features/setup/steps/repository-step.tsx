import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'preact/hooks';
import { repoRoutesQuery } from '../../../api/queries.ts';
import { Button } from '../../../ui/button.tsx';
import { Form } from '../../../ui/forms/form.tsx';
import { useFormDraft } from '../../../ui/forms/form-draft.ts';
import { textIn } from '../../../ui/forms/form-text.ts';
import { SubmitRow } from '../../../ui/forms/submit-row.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';
import { Icon } from '../../../ui/marks/icon.tsx';
import { QueryView } from '../../../ui/data/query-view.tsx';
import { AddRoute } from '../../routes/add-route.tsx';
import { showRouteAdded } from '../../routes/show-route-added.ts';
import { RepoRoutes } from '../../routes/repo-routes.tsx';
import { addRoute, refreshSetup, type Setup } from '../queries.ts';

/**
 * The repositories, and a form for one more. The runner checks them; the service itself never runs
 * git.
 */
export function RepositoryStep({ setup }: { setup: Setup }) {
  const client = useQueryClient();
  const routes = useQuery(repoRoutesQuery);
  const [isWhole, setWhole] = useState(false);
  const isFirst = setup.firstRepository === null;
  const [beganEmpty] = useState(isFirst);
  // Linear's prefix is the team's own choice, so no default is proposed.
  const hasDefault = setup.tracker.kind !== 'linear';
  const prefix = setup.tracker.kind === 'github' ? 'GH-' : `${setup.localPrefix}-`;
  const onAdded = () => void refreshSetup(client, 'repository', 'code_host');
  // A prefix with a route would be refused.
  const isTaken = routes.data?.routes.some((route) => route.prefix === prefix) ?? !isFirst;
  const whole = (
    <>
      <p class="quiet">
        Built-in issues start with {setup.localPrefix}-, Linear issues with the team key, GitHub
        issues with GH-.
      </p>
      <AddRoute prefix={isTaken ? '' : prefix} add={addRoute} onAdded={onAdded} />
    </>
  );
  if (isFirst) {
    return hasDefault && !isWhole ? (
      <FirstRepository prefix={prefix} onAdded={onAdded} onMore={() => setWhole(true)} />
    ) : (
      whole
    );
  }
  return (
    <>
      <QueryView query={routes} skeletonLines={2}>
        {(list) =>
          list.routes.length === 0 ? null : (
            <RepoRoutes routes={list.routes} onChanged={onAdded} followsForm={beganEmpty} />
          )
        }
      </QueryView>
      <Twice routes={routes.data?.routes ?? []} />
      <details>
        <summary>Add another repository</summary>
        <div class="more-of-step">{whole}</div>
      </details>
    </>
  );
}

/** The address of the first repository; everything else about a route has a default. */
function FirstRepository(props: { prefix: string; onAdded: () => void; onMore: () => void }) {
  const form = useRef<HTMLFormElement>(null);
  const forgetDraft = useFormDraft(form, 'route');
  const add = useMutation({
    mutationFn: (url: string) => addRoute({ prefix: props.prefix, url }),
    onSuccess: (added) => {
      forgetDraft();
      showRouteAdded(added);
      props.onAdded();
    },
  });
  return (
    <Form formRef={form} onSubmit={(element) => add.mutate(textIn(element, 'url'))}>
      <TextField
        label="Repository"
        hint="A path on the runner’s machine, or a repository on GitHub."
        name="url"
        required
        maxLength={2048}
        placeholder="~/git/app.git or https://github.com/team/app"
        spellcheck={false}
      />
      <SubmitRow label="Add repository" busy="Looking at it" of={add}>
        <Button onClick={props.onMore}>More options</Button>
      </SubmitRow>
    </Form>
  );
}

/**
 * Warns about two routes for the same issues, as after correcting an address by adding it again:
 * the older one is used.
 */
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
