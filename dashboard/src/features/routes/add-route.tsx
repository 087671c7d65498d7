import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'preact/hooks';
import { addRepoRoute } from '../../api/actions.ts';
import { repoRoutesQuery } from '../../api/queries.ts';
import { useFormDraft } from '../../ui/forms/form-draft.ts';
import { Problem } from '../../ui/marks/problem.tsx';
import { showRouteAdded } from './show-route-added.ts';
import { type GrantDraft, grantFrom } from './grant-draft.ts';
import { type CheckDraft, checkFrom, refusedChecks } from './checks/check-draft.ts';
import { CheckFields } from './checks/check-fields.tsx';
import { GrantFields } from './grant-fields.tsx';
import { gitContextQuery } from './queries.ts';
import { routeFromForm } from './route-from-form.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/forms/form.tsx';
import './add-route.css';
import { SelectField } from '../../ui/forms/select.tsx';

/** A form for one more repository; `prefix` is its proposal, `onAdded` is called after success. */
export function AddRoute(props: {
  prefix?: string;
  onAdded?: () => void;
  add?: typeof addRepoRoute;
}) {
  const { prefix = '', onAdded } = props;
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [grants, setGrants] = useState<GrantDraft[]>([]);
  const [checks, setChecks] = useState<readonly CheckDraft[]>([]);
  const [sent, setSent] = useState(checks);
  const forgetDraft = useFormDraft(form, 'route');
  const add = useMutation({
    mutationFn: (route: RepoRoute) => (props.add ?? addRepoRoute)(route),
    onSuccess: async (added) => {
      forgetDraft();
      form.current?.reset();
      setGrants([]);
      setChecks([]);
      showRouteAdded(added);
      onAdded?.();
      await Promise.all([
        client.invalidateQueries({ queryKey: repoRoutesQuery.queryKey }),
        client.invalidateQueries({ queryKey: gitContextQuery.queryKey }),
      ]);
    },
  });
  const refused = refusedChecks(add.error, sent);
  return (
    <Form
      formRef={form}
      class="route-form"
      onSubmit={(element) => {
        const route = routeFromForm(new FormData(element));
        if (grants.length > 0) route.secrets = grants.map(grantFrom);
        if (checks.length > 0) route.checks = checks.map(checkFrom);
        setSent(checks);
        add.mutate(route);
      }}
    >
      <SelectField label="Match issues by" name="by" options={['prefix', 'label']} />
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
          placeholder="https://github.com/team/app or ~/git/app.git"
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
          placeholder="default branch"
          autoComplete="off"
        />
      </label>
      <Button
        icon="plus"
        type="submit"
        aria-disabled={add.isPending}
        onClick={(event) => add.isPending && event.preventDefault()}
      >
        Add
      </Button>
      <label class="check route-servers">
        <input type="checkbox" name="repositoryServers" />
        <span>
          Allow MCP servers of the repository
          <small>
            Programs and addresses in its .mcp.json start with each agent, inside the container and
            under the same network rules. Allow only repositories that you trust.
          </small>
        </span>
      </label>
      <GrantFields grants={grants} onGrants={setGrants} />
      <h3 class="route-checks">Checks</h3>
      <CheckFields checks={checks} onChecks={setChecks} refused={refused.fields} />
      <Problem error={refused.rest} />
    </Form>
  );
}
