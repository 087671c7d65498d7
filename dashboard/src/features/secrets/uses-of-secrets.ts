import { isSecretReference, referredSecret } from '@switchyard/shared/settings/secret-reference';

/** References to secrets in a configuration: paths by the secret's name. */
export function usesOfSecrets(config: unknown): Map<string, string[]> {
  const uses = new Map<string, string[]>();
  collect(config, '', uses);
  return uses;
}

function collect(value: unknown, path: string, uses: Map<string, string[]>): void {
  if (typeof value === 'string') {
    if (!isSecretReference(value)) return;
    const name = referredSecret(value);
    uses.set(name, [...(uses.get(name) ?? []), path]);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      collect(inner, path === '' ? key : `${path}.${key}`, uses);
    }
  }
}
