import type { WorkspaceError } from '../workspace.ts';

/** Waits for work that others may hold up, until the signal: then the work goes on alone, and this throws. */
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
