import {
  isMeantAsReference,
  isSecretReference,
  referredSecret,
} from '@switchyard/shared/settings/secret-reference';
import type { ConfigProblem } from '../config-store.ts';
import { isJsonObject } from './json-object.ts';

/** A reference to a secret, with its path. */
export type SecretUse = { path: string; name: string };

/** Every `$SECRET:NAME` in a configuration. */
export function secretReferences(config: unknown, path: readonly string[] = []): SecretUse[] {
  if (isSecretReference(config)) {
    return [{ path: path.join('.'), name: referredSecret(config) }];
  }
  if (!Array.isArray(config) && !isJsonObject(config)) return [];
  return Object.entries(config).flatMap(([key, inner]) => secretReferences(inner, [...path, key]));
}

/** References to missing secrets. Without the provider's key no agent can work. */
export function missingSecrets(
  config: unknown,
  known: ReadonlySet<string>,
  { trial = false }: { trial?: boolean } = {},
): ConfigProblem[] {
  return secretReferences(config)
    .filter(({ name }) => !known.has(name))
    .map(({ path, name }) => ({
      source: 'secrets',
      code: 'missing_secret',
      path,
      message: `${path} stands for the secret ${name}, which is not stored: POST /api/v1/secrets/${name}`,
      severity: 'error',
      // A trial needs no provider key.
      blocksDispatch: path.startsWith('engine.provider.') && !trial,
    }));
}

/** Path of the first text that looks like a malformed secret reference; null when there is none. */
export function malformedReference(config: unknown, path: readonly string[] = []): string | null {
  if (typeof config === 'string') {
    // Prompt and hooks are free text, which may contain a dollar sign anywhere.
    const isText = path[0] === 'prompt' || path[0] === 'hooks';
    return !isText && isMeantAsReference(config) && !isSecretReference(config)
      ? path.join('.')
      : null;
  }
  if (!Array.isArray(config) && !isJsonObject(config)) return null;
  for (const [key, inner] of Object.entries(config)) {
    const found = malformedReference(inner, [...path, key]);
    if (found !== null) return found;
  }
  return null;
}
