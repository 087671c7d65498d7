import { isSecretReference, referredSecret } from '@switchyard/shared/settings/secret-reference';

/**
 * Reads a secret by name; null when there is none. `reader` names the user of the secret as an
 * audit actor, such as `runner:run_1`; left out: the service itself.
 */
export type ResolveSecret = (name: string, reader?: string) => Promise<string | null>;

/**
 * The secret that a configuration value stands for: the value itself, or the secret named by
 * `$SECRET:NAME`. Null for a missing or empty value, or an unknown name.
 */
export async function secretValue(
  value: string | undefined,
  resolveSecret: ResolveSecret,
  reader?: string,
): Promise<string | null> {
  if (value === undefined || value === '') return null;
  if (!isSecretReference(value)) return value;
  const found = await resolveSecret(referredSecret(value), reader);
  return found === '' ? null : found;
}
