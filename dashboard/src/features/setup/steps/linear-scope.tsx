import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { textIn } from '../../../ui/forms/form-text.ts';
import { SubmitRow } from '../../../ui/forms/submit-row.tsx';
import { showToast } from '../../../ui/overlays/toasts.tsx';
import { valueAt } from '../../config/value-at.ts';
import { configQuery } from '../../config/queries.ts';
import { createTrackerWebhook, refreshSetup, setValue } from '../queries.ts';
import { Form } from '../../../ui/forms/form.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';

/** The polled issues of Linear, and whether Linear sends webhooks. */
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
      <Form
        onSubmit={(form) =>
          scope.mutate({ team: textIn(form, 'team'), project: textIn(form, 'project') })
        }
      >
        <div class="form-row">
          <TextField
            label="Team"
            hint="Team key, for example ENG."
            name="team"
            defaultValue={text('tracker.linear.team')}
            maxLength={100}
            placeholder="all"
          />
          <TextField
            label="Project"
            hint="Project slug, as in its URL."
            name="project"
            defaultValue={text('tracker.linear.projectSlug')}
            maxLength={500}
            placeholder="all"
          />
        </div>
        <SubmitRow label="Save scope" busy="Saving" plain of={scope} />
      </Form>
      <Form onSubmit={(element) => webhook.mutate(textIn(element, 'url'))}>
        <TextField
          label="Public webhook URL (optional)"
          hint="With a webhook, work starts immediately instead of at the next poll."
          type="url"
          name="url"
          required
          maxLength={2_048}
          pattern="https://.*"
          defaultValue={text('webhook.webhookUrl')}
          placeholder="https://switchyard.example.com/webhooks/tracker"
        />
        <SubmitRow label="Create webhook" busy="Connecting" plain of={webhook} />
      </Form>
    </>
  );
}
