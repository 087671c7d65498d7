import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'preact/hooks';
import { useFormDraft } from '../../../ui/forms/form-draft.ts';
import { textIn } from '../../../ui/forms/form-text.ts';
import { SecretField } from '../../../ui/forms/secret-field.tsx';
import { SubmitRow } from '../../../ui/forms/submit-row.tsx';
import { connectGitHub, refreshAndReport } from '../queries.ts';
import { Form } from '../../../ui/forms/form.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';

/** The steps that the form changes: the one with the form first, then the other. */
const STEPS_OF_TRACKER = ['tracker', 'code_host'] as const;
const STEPS_OF_CODE_HOST = ['code_host', 'tracker'] as const;

/** A token for GitHub: verified first, and stored as a secret when GitHub accepts it. */
export function GitHubForm({ asTracker, connected }: { asTracker: boolean; connected: boolean }) {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const forgetDraft = useFormDraft(form, 'setup.github');
  const connect = useMutation({
    mutationFn: connectGitHub,
    onSuccess: async ({ login }) => {
      forgetDraft();
      form.current?.reset();
      const [step, other] = asTracker ? STEPS_OF_TRACKER : STEPS_OF_CODE_HOST;
      await refreshAndReport(client, step, `Connected as ${login}.`, other);
    },
  });
  return (
    <Form
      formRef={form}
      onSubmit={(element) => {
        const endpoint = textIn(element, 'endpoint');
        const token = textIn(element, 'token');
        connect.mutate({ token, asTracker, ...(endpoint === '' ? {} : { endpoint }) });
      }}
    >
      <SecretField
        name="token"
        label="Token"
        hint="Fine-grained, with read and write access to contents, pull requests and issues, and read access to checks and actions."
        placeholder={connected ? 'Already set; enter a new value to replace it' : ''}
      />
      <TextField
        label="API URL (GitHub Enterprise Server only)"
        type="url"
        name="endpoint"
        maxLength={2_048}
        placeholder="https://git.example.com/api/v3"
      />
      <SubmitRow label="Connect GitHub" busy="Connecting" of={connect} />
    </Form>
  );
}
