import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'preact/hooks';
import { CopyButton } from '../../ui/copy-button.tsx';
import { textIn } from '../../ui/forms/form-text.ts';
import { SecretField } from '../../ui/forms/secret-field.tsx';
import { SubmitRow } from '../../ui/forms/submit-row.tsx';
import { showToast } from '../../ui/overlays/toasts.tsx';
import { cancelLogin, type RunnerChoice, startLogin } from './queries.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/forms/form.tsx';
import { refresh } from '../../api/read-query.ts';

type Login = Awaited<ReturnType<typeof startLogin>>;

/** Signs the engine in: with a key, or with an account that a person confirms elsewhere. */
export function LoginForm({ runner }: { runner: RunnerChoice }) {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [pending, setPending] = useState<Login | null>(null);
  const stale = () => refresh(client, 'engine');
  const byKey = useMutation({
    mutationFn: (apiKey: string) => startLogin({ type: 'apiKey', apiKey }, runner),
    onSuccess: async () => {
      form.current?.reset();
      showToast('API key saved.');
      await stale();
    },
  });
  const byAccount = useMutation({
    mutationFn: (type: string) => startLogin({ type }, runner),
    onSuccess: setPending,
  });
  if (pending !== null) {
    return (
      <PendingLogin login={pending} runner={runner} onEnd={() => (setPending(null), stale())} />
    );
  }
  return (
    <>
      <Form formRef={form} onSubmit={(element) => byKey.mutate(textIn(element, 'apiKey'))}>
        <SecretField
          name="apiKey"
          label="API key of the model provider"
          hint="Stored as a secret; agents and the engine never see it."
        />
        <SubmitRow
          label="Sign in with the API key"
          busy="Signing in"
          of={{ isPending: byKey.isPending, error: byKey.error ?? byAccount.error }}
        >
          <Button
            icon="person"
            disabled={byAccount.isPending}
            onClick={() => byAccount.mutate('chatgptDeviceCode')}
          >
            Sign in with an account
          </Button>
        </SubmitRow>
      </Form>
    </>
  );
}

/** A login that continues in another window, with the code to enter there. */
function PendingLogin(props: { login: Login; runner: RunnerChoice; onEnd: () => unknown }) {
  const { login, runner, onEnd } = props;
  const text = (name: string) => {
    const value: unknown = (login as Record<string, unknown>)[name];
    return typeof value === 'string' ? value : null;
  };
  const url = text('verificationUrl') ?? text('authUrl');
  const code = text('userCode');
  const cancel = useMutation({
    mutationFn: async () => {
      if (login.loginId !== undefined) await cancelLogin(login.loginId, runner);
    },
    onSettled: onEnd,
  });
  return (
    <div class="form">
      {url !== null && isWeb(url) && (
        <p>
          Continue at{' '}
          <a href={url} target="_blank" rel="noreferrer">
            {new URL(url).host}
          </a>
          {code !== null && ' and enter this code:'}
        </p>
      )}
      {code !== null && (
        <div class="command">
          <code>{code}</code>
          <CopyButton text={code} />
        </div>
      )}
      <footer class="submit-row">
        <Button primary onClick={onEnd}>
          Done
        </Button>
        <Button disabled={cancel.isPending} onClick={() => cancel.mutate()}>
          Cancel
        </Button>
      </footer>
    </div>
  );
}

function isWeb(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
