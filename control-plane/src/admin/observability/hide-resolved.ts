import type { ResolveSecret } from '../../config/resolve-secret.ts';
import type { Redactor } from '../../ports/redactor.ts';

/** The same look-up, after which the log hides what was found. */
export function hideResolved(resolve: ResolveSecret, redactor: Redactor): ResolveSecret {
  return async (name, reader) => {
    const found = await resolve(name, reader);
    redactor.hide(found);
    return found;
  };
}
