import { lazy, Suspense } from 'preact/compat';
import { useEffect, useState } from 'preact/hooks';
import { eventStream } from '../../../api/event-stream.ts';
import { onSignInWanted, signedIn } from '../../../api/sign-in-wanted.ts';
import { retryImport } from '../../../ui/data/retry-import.ts';

const SignIn = lazy(() =>
  retryImport(() => import('./sign-in.tsx')).then((module) => module.SignIn),
);

/** Shows the form once the service has refused somebody it does not know. */
export function SignInWhenWanted() {
  const [words, setQuery] = useState<string | null>(null);
  // The words of the first refusal stay: a wrong token is said beside its field.
  useEffect(() => onSignInWanted((why) => setQuery((shown) => shown ?? why)), []);
  // Whoever signs in does it once, in any page of the browser.
  useEffect(
    () =>
      eventStream.onSession(() => {
        signedIn();
        setQuery(null);
      }),
    [],
  );
  if (words === null) return null;
  return (
    <Suspense fallback={null}>
      <SignIn words={words} onClose={() => setQuery(null)} />
    </Suspense>
  );
}
