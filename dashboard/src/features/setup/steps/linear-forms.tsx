import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'preact/hooks';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Icon } from '../../../ui/marks/icon.tsx';
import { Problem } from '../../../ui/marks/problem.tsx';
import { Tabs } from '../../../ui/layout/tabs.tsx';
import { useDraftChoice, useFormDraft } from '../../../ui/forms/form-draft.ts';
import { textIn } from '../../../ui/forms/form-text.ts';
import { SecretField } from '../../../ui/forms/secret-field.tsx';
import { SubmitRow } from '../../../ui/forms/submit-row.tsx';
import { LinearScope } from './linear-scope.tsx';
import { beginSignIn, completeSignIn, connectLinear, refreshAndReport } from '../queries.ts';
import { Form } from '../../../ui/forms/form.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';

const WAYS = [
  { id: 'key', label: 'API key' },
  { id: 'sign-in', label: 'OAuth' },
] as const;
const WAY_IDS = WAYS.map(({ id }) => id);

/** Connects Linear and selects the issues to poll. */
export function LinearForms({ inUse }: { inUse: boolean }) {
  const [way, setWay] = useDraftChoice<(typeof WAYS)[number]['id']>('setup.linear', WAY_IDS, 'key');
  return (
    <>
      <SignInAnswer />
      <Tabs label="How to connect Linear" tabs={WAYS} selected={way} onSelect={setWay} />
      {way === 'key' ? <KeyForm connected={inUse} /> : <SignInForm />}
      {inUse && <LinearScope />}
    </>
  );
}

function KeyForm({ connected }: { connected: boolean }) {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const connect = useMutation({
    mutationFn: connectLinear,
    onSuccess: async ({ organization, user }) => {
      form.current?.reset();
      await refreshAndReport(client, 'tracker', `Connected to ${organization} as ${user}.`);
    },
  });
  return (
    <Form formRef={form} onSubmit={(element) => connect.mutate(textIn(element, 'apiKey'))}>
      <SecretField
        name="apiKey"
        label="Personal API key"
        hint="From Linear's settings under Security & access. Stored as a secret after Linear accepts it."
        placeholder={connected ? 'Already set; enter a new value to replace it' : 'lin_api_…'}
      />
      <SubmitRow label="Connect Linear" busy="Connecting" of={connect} />
    </Form>
  );
}

/** Redirects to Linear, which redirects back to this page with a code. */
function SignInForm() {
  const redirectUri = `${location.origin}/setup`;
  const form = useRef<HTMLFormElement>(null);
  // Kept during the visit to Linear, which may refuse; the next try has the values filled in.
  useFormDraft(form, 'setup.linear-sign-in');
  const begin = useMutation({
    mutationFn: beginSignIn,
    onSuccess: ({ authorizeUrl }) => location.assign(authorizeUrl),
  });
  return (
    <Form
      formRef={form}
      onSubmit={(element) => {
        const clientSecret = textIn(element, 'clientSecret');
        begin.mutate({
          clientId: textIn(element, 'clientId'),
          redirectUri,
          ...(clientSecret === '' ? {} : { clientSecret }),
        });
      }}
    >
      <p>Create an OAuth application in Linear with this callback URL, then enter its client ID:</p>
      <div class="command">
        <code>{redirectUri}</code>
        <CopyButton text={redirectUri} />
      </div>
      <TextField label="Client ID" name="clientId" required maxLength={500} />
      <SecretField
        name="clientSecret"
        label="Client secret (optional with PKCE)"
        hint="Stored as a secret."
        required={false}
      />
      <SubmitRow label="Sign in to Linear" busy="Redirecting" icon="link" of={begin} />
    </Form>
  );
}

/**
 * Completes a sign-in with the code in the address, once, and removes the code from the address.
 */
function SignInAnswer() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { code, state, error, error_description: message } = useSearch({ from: '/setup' });
  const complete = useMutation({
    mutationFn: completeSignIn,
    onSuccess: async ({ organization, user }) => {
      await refreshAndReport(client, 'tracker', `Connected to ${organization} as ${user}.`);
    },
    onSettled: () => navigate({ to: '/setup', search: { step: 'tracker' }, replace: true }),
  });
  const begun = useRef(false);
  const { mutate } = complete;
  useEffect(() => {
    if (begun.current || code === undefined || state === undefined) return;
    begun.current = true;
    mutate({ code, state });
  }, [code, state, mutate]);
  if (error !== undefined)
    return <Problem error={new Error(message ?? `Linear answered: ${error}`)} />;
  return complete.isPending ? (
    <p class="note" role="status">
      <Icon name="running" size={14} /> Completing the sign-in
    </p>
  ) : (
    <Problem error={complete.error} />
  );
}
