import { isSecretReference } from './redact-config.ts';

/** Looks a secret up by name; null when there is none of that name. */
export type ResolveSecret = (name: string) => Promise<string | null>;

/** For a service without a secret store: no name is known. */
export const noSecrets: ResolveSecret = () => Promise.resolve(null);

/**
 * The secret that a configuration value stands for: a literal is itself, `$SECRET:NAME` is looked
 * up. Null when the value is missing or empty, or the name is unknown.
 */
export async function secretValue(
  value: string | undefined,
  resolveSecret: ResolveSecret,
): Promise<string | null> {
  if (value === undefined || value === '') return null;
  if (!isSecretReference(value)) return value;
  const found = await resolveSecret(value.slice('$SECRET:'.length));
  return found === '' ? null : found;
}
