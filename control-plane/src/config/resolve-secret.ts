import { isSecretReference, referredSecret } from '@switchyard/shared/settings/secret-reference';

/**
 * Looks a secret up by name; null when there is none of that name. `reader` is who it is for, in the
 * words of an audit actor, for example `runner:run_1`; left out: the service itself.
 */
export type ResolveSecret = (name: string, reader?: string) => Promise<string | null>;

/**
 * The secret that a configuration value stands for: a literal is itself, `$SECRET:NAME` is looked
 * up. Null when the value is missing or empty, or the name is unknown.
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
