/** `message`: why a sign-in is requested, for people. */
type Listener = (message: string) => void;

const listeners = new Set<Listener>();
let isPutOff = false;
/** The service's reason to request a sign-in, kept until the form can be shown. */
let waiting: string | null = null;

/** Registers the component that shows the form; returns the function that unregisters it. */
export function onSignInWanted(listener: Listener): () => void {
  listeners.add(listener);
  if (waiting !== null) listener(waiting);
  waiting = null;
  return () => void listeners.delete(listener);
}

/**
 * Requests a token from the person. Automatic reads of the page (`byItself`) request it once, and
 * not again after a dismissal: a form that reappears twice a minute is no protection.
 */
export function askToSignIn(message: string, { byItself = false } = {}): void {
  if (byItself && isPutOff) return;
  isPutOff ||= byItself;
  if (listeners.size === 0) waiting = message;
  for (const listener of listeners) listener(message);
}

/** After a sign-in, the end of that session may request a token again. */
export function signedIn(): void {
  isPutOff = false;
}
