import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Field } from '../../../ui/forms/field.tsx';
import { textIn } from '../../../ui/forms/form-text.ts';
import { SubmitRow } from '../../../ui/forms/submit-row.tsx';
import { showToast } from '../../../ui/overlays/toast.tsx';
import { valueAt } from '../../config/value-at.ts';
import { configQuery } from '../../config/queries.ts';
import { createTrackerWebhook, refreshSetup, setValue } from '../queries.ts';

/** Which of Linear's issues are polled, and whether Linear tells of changes by itself. */
export function LinearScope() {
  const client = useQueryClient();
  const config = useQuery(configQuery).data;
  const text = (path: string) => {
    const value = valueAt(config, path);
    return typeof value === 'string' ? value : '';
  };
  const scope = useMutation({
    mutationFn: async ({ team, project }: { team: string; project: string }) => {
      if (team !== '') await setValue('tracker.linear.team', team);
      if (project !== '') await setValue('tracker.linear.projectSlug', project);
    },
    onSuccess: () => refreshSetup(client, 'tracker'),
  });
  const webhook = useMutation({
    mutationFn: createTrackerWebhook,
    onSuccess: () => showToast('Webhook created.'),
  });
  if (config === undefined) return null;
  return (
    <>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          scope.mutate({ team: textIn(form, 'team'), project: textIn(form, 'project') });
        }}
      >
        <div class="form-row">
          <Field
            label="Team"
            hint="Team key, for example ENG."
            control={(ids) => (
              <input
                {...ids}
                class="field mono"
                name="team"
                defaultValue={text('tracker.linear.team')}
                maxLength={100}
                placeholder="all"
                autoComplete="off"
              />
            )}
          />
          <Field
            label="Project"
            hint="Project slug, as in its URL."
            control={(ids) => (
              <input
                {...ids}
                class="field mono"
                name="project"
                defaultValue={text('tracker.linear.projectSlug')}
                maxLength={500}
                placeholder="all"
                autoComplete="off"
              />
            )}
          />
        </div>
        <SubmitRow
          label="Save scope"
          busy="Saving"
          plain
          pending={scope.isPending}
          error={scope.error}
        />
      </form>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          webhook.mutate(textIn(event.currentTarget, 'url'));
        }}
      >
        <Field
          label="Public webhook URL (optional)"
          hint="With a webhook, work starts immediately instead of at the next poll."
          control={(ids) => (
            <input
              {...ids}
              class="field mono"
              type="url"
              name="url"
              required
              maxLength={2_048}
              pattern="https://.*"
              defaultValue={text('webhook.webhookUrl')}
              placeholder="https://switchyard.example.com/webhooks/tracker"
              autoComplete="off"
            />
          )}
        />
        <SubmitRow
          label="Create webhook"
          busy="Connecting"
          plain
          pending={webhook.isPending}
          error={webhook.error}
        />
      </form>
    </>
  );
}
