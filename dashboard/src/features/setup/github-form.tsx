import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'preact/hooks';
import { Field } from '../../ui/field.tsx';
import { useFormDraft } from '../../ui/form-draft.ts';
import { textIn } from '../../ui/form-text.ts';
import { SecretField } from '../../ui/secret-field.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import { say } from '../../ui/toast.tsx';
import { connectGitHub, renewSetup } from './queries.ts';

/** A token for GitHub: tried first, kept as a secret when GitHub takes it. */
export function GitHubForm({ asTracker, connected }: { asTracker: boolean; connected: boolean }) {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const forgetDraft = useFormDraft(form, 'setup.github');
  const connect = useMutation({
    mutationFn: connectGitHub,
    onSuccess: async ({ login }) => {
      forgetDraft();
      form.current?.reset();
      say(`Connected as ${login}.`);
      await renewSetup(client, 'tracker', 'code_host');
    },
  });
  return (
    <form
      ref={form}
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        const endpoint = textIn(event.currentTarget, 'endpoint');
        const token = textIn(event.currentTarget, 'token');
        connect.mutate({ token, asTracker, ...(endpoint === '' ? {} : { endpoint }) });
      }}
    >
      <SecretField
        name="token"
        label="Token"
        hint="Fine-grained: contents, pull requests and issues read and write; checks and actions read."
        placeholder={connected ? 'One is set; give another to replace it' : ''}
      />
      <Field
        label="Address of the API (only of a server of your own)"
        control={(ids) => (
          <input
            {...ids}
            class="field mono"
            type="url"
            name="endpoint"
            maxLength={2_048}
            placeholder="https://git.example.com/api/v3"
            autoComplete="off"
          />
        )}
      />
      <SubmitRow
        label="Connect GitHub"
        busy="Asking GitHub"
        pending={connect.isPending}
        error={connect.error}
      />
    </form>
  );
}
