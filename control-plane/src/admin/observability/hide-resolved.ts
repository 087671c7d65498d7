import type { ResolveSecret } from '../../config/resolve-secret.ts';
import type { Redactor } from '../../ports/redactor.ts';

/** Wraps the reading of secrets so that the log redacts each value that was read. */
export function hideResolved(resolve: ResolveSecret, redactor: Redactor): ResolveSecret {
  return async (name, reader) => {
    const found = await resolve(name, reader);
    redactor.hide(found);
    return found;
  };
}
