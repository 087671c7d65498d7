import { lazy, Suspense } from 'preact/compat';
import { useEffect, useState } from 'preact/hooks';
import { eventStream } from '../../../api/event-stream.ts';
import { onSignInWanted, signedIn } from '../../../api/sign-in-wanted.ts';
import { retryImport } from '../../../ui/data/retry-import.ts';

const SignIn = lazy(() =>
  retryImport(() => import('./sign-in.tsx')).then((module) => module.SignIn),
);

/** Shows the sign-in form after the service has refused an unknown caller. */
export function SignInWhenWanted() {
  const [message, setMessage] = useState<string | null>(null);
  // The message of the first refusal stays: a wrong token is reported beside its field.
  useEffect(() => onSignInWanted((why) => setMessage((shown) => shown ?? why)), []);
  // A sign-in in any page of the browser closes the form in all of them.
  useEffect(
    () =>
      eventStream.onSession(() => {
        signedIn();
        setMessage(null);
      }),
    [],
  );
  if (message === null) return null;
  return (
    <Suspense fallback={null}>
      <SignIn message={message} onClose={() => setMessage(null)} />
    </Suspense>
  );
}
