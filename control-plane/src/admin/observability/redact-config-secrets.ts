import { isSecretPath } from '../../config/values/redact-config.ts';
import type { Redactor } from '../../ports/redactor.ts';

/** The store; what each load finds secret is kept out of logs and answers from then on. */
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

/** Hides the literal secrets of each configuration that is given to it, looking at each once. */
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
