/** `words`: why, as the service said it. */
type Listener = (words: string) => void;

const listeners = new Set<Listener>();
let isPutOff = false;
/** Why, while nothing can show the form yet: the page is still being drawn. */
let waiting: string | null = null;

/** Whoever can show the form; returns what ends it. */
export function onSignInWanted(listener: Listener): () => void {
  listeners.add(listener);
  if (waiting !== null) listener(waiting);
  waiting = null;
  return () => void listeners.delete(listener);
}

/**
 * Asks for a token. What the page reads by itself asks once, and not again when that was put off:
 * a form that comes back twice a minute keeps nobody out.
 */
export function askToSignIn(words: string, { byItself = false } = {}): void {
  if (byItself && isPutOff) return;
  isPutOff ||= byItself;
  if (listeners.size === 0) waiting = words;
  for (const listener of listeners) listener(words);
}

/** Once somebody has signed in, the end of that session is asked about again. */
export function signedIn(): void {
  isPutOff = false;
}
