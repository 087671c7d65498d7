import type { WorkspaceError } from '../workspace.ts';

/** Waits for shared work until the signal: then this throws, and the work continues alone. */
export function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  why: () => WorkspaceError,
): Promise<T> {
  if (signal === undefined) return work;
  return new Promise<T>((resolve, reject) => {
    const late = () => reject(why());
    if (signal.aborted) late();
    else signal.addEventListener('abort', late, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', late));
  });
}
