import type { ConnectProvider } from '@switchyard/shared/api/admin/setup';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'preact/hooks';
import { ApiError } from '../../../api/api.ts';
import { useDraftChoice, useFormDraft } from '../../../ui/forms/form-draft.ts';
import { textIn } from '../../../ui/forms/form-text.ts';
import { SecretField } from '../../../ui/forms/secret-field.tsx';
import { SubmitRow } from '../../../ui/forms/submit-row.tsx';
import { LoginForm } from '../../engine/login-form.tsx';
import { Choice } from './choice.tsx';
import { TrialChoice } from './trial-choice.tsx';
import { connectProvider, refreshAndReport, type Setup } from '../queries.ts';
import { Button } from '../../../ui/button.tsx';
import { Form } from '../../../ui/forms/form.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';

const PUBLIC_URL = 'https://api.openai.com/v1';
const WAYS = ['key', 'endpoint', 'login'] as const;
type Way = (typeof WAYS)[number];

const waysOf = ({ name, baseUrl }: Setup['provider']) => [
  { id: 'key' as const, label: 'API key', about: `For ${name} at ${new URL(baseUrl).host}.` },
  {
    id: 'endpoint' as const,
    label: 'Custom endpoint',
    about: 'Any endpoint with the Responses API.',
  },
  { id: 'login' as const, label: 'Account', about: 'Sign in through the engine of a runner.' },
];

/** Whose models agents use. What is given is tried before anything is kept. */
export function ProviderStep({ setup }: { setup: Setup }) {
  const isPublic = setup.provider.baseUrl === PUBLIC_URL;
  const initial = isPublic ? 'key' : 'endpoint';
  const [way, setWay] = useDraftChoice<Way>('setup.provider', WAYS, initial);
  return (
    <>
      <Choice
        name="provider"
        label="Provider"
        options={waysOf(setup.provider)}
        value={way}
        onChange={setWay}
      />
      {way === 'login' ? (
        <LoginForm runner={undefined} />
      ) : (
        <ProviderForm key={way} setup={setup} withAddress={way === 'endpoint'} />
      )}
      <TrialChoice setup={setup} />
    </>
  );
}

function ProviderForm({ setup, withAddress }: { setup: Setup; withAddress: boolean }) {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const { provider } = setup;
  const forgetDraft = useFormDraft(form, `setup.provider.${withAddress ? 'endpoint' : 'key'}`);
  const connect = useMutation({
    mutationFn: connectProvider,
    onSuccess: async ({ name, model }) => {
      forgetDraft();
      const key = form.current?.elements.namedItem('apiKey');
      if (key instanceof HTMLInputElement) key.value = '';
      await refreshAndReport(client, 'provider', `Connected. Agents use ${model} from ${name}.`);
    },
  });
  const given = (): Partial<ConnectProvider> => {
    if (form.current === null) return {};
    const names = withAddress ? ['name', 'baseUrl', 'model', 'apiKey'] : ['model', 'apiKey'];
    const filled = names.flatMap((name) => {
      const text = form.current === null ? '' : textIn(form.current, name);
      return text === '' ? [] : [[name, text] as const];
    });
    return Object.fromEntries(filled);
  };
  const refused = connect.error instanceof ApiError && connect.error.status === 502;
  return (
    <Form formRef={form} onSubmit={() => connect.mutate(given())}>
      {withAddress && (
        <div class="form-row">
          <TextField
            label="Base URL"
            hint={`Usually ends in /v1, for example ${PUBLIC_URL}`}
            type="url"
            name="baseUrl"
            required
            maxLength={2_048}
            defaultValue={provider.baseUrl}
          />
          <TextField
            label="Name"
            prose
            name="name"
            maxLength={100}
            defaultValue={provider.baseUrl === PUBLIC_URL ? '' : provider.name}
            placeholder="derived from the base URL"
          />
        </div>
      )}
      <div class="form-row">
        <SecretField
          name="apiKey"
          label="API key"
          hint="Stored as a secret after the provider accepts it."
          required={!provider.hasKey && !withAddress}
          placeholder={provider.hasKey ? 'Already set; enter a new value to replace it' : 'sk-…'}
        />
        <TextField
          label="Model"
          name="model"
          required
          maxLength={500}
          defaultValue={provider.model}
        />
      </div>
      <SubmitRow label="Connect the provider" busy="Connecting" of={connect}>
        {refused && (
          <Button
            aria-disabled={connect.isPending}
            onClick={() => connect.isPending || connect.mutate({ ...given(), unchecked: true })}
          >
            Save anyway
          </Button>
        )}
      </SubmitRow>
      {refused && (
        <p class="quiet">
          Not saved. The check runs on the service's machine. If only the runner can reach the
          provider, save anyway and run the test issue.
        </p>
      )}
    </Form>
  );
}
