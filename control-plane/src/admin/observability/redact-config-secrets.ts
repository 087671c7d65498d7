import { isSecretPath } from '../../config/values/redact-config.ts';
import type { Redactor } from '../../ports/redactor.ts';
import type { ResolveSecret } from '../../config/resolve-secret.ts';

/**
 * Wraps the store so that secrets of each loaded configuration are redacted from logs and
 * responses.
 */
export function redactConfigSecrets<Store extends { load(): Promise<object> }>(
  store: Store,
  redactor: Redactor,
): Store {
  const seen = hideConfigSecrets(redactor);
  return {
    ...store,
    async load() {
      const config = await store.load();
      seen(config);
      return config;
    },
  };
}

/** Redacts the literal secrets of each given configuration, which is searched once. */
function hideConfigSecrets(redactor: Redactor): (config: object) => void {
  let seen: object | null = null;
  return (config) => {
    if (config === seen) return;
    seen = config;
    walk(config, []);
  };

  function walk(value: unknown, path: readonly string[]): void {
    if (typeof value === 'string') {
      if (isSecretPath(path)) redactor.hide(value);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) walk(inner, [...path, name]);
    }
  }
}

/** Wraps the reading of secrets so that the log redacts each value that was read. */
export function hideResolved(resolve: ResolveSecret, redactor: Redactor): ResolveSecret {
  return async (name, reader) => {
    const found = await resolve(name, reader);
    redactor.hide(found);
    return found;
  };
}
