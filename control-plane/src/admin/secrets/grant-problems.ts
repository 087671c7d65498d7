import { UNSENDABLE_SECRET } from '@switchyard/shared/sandbox/work-secret';
import type { ConfigProblem } from '../config/config-store.ts';
import type { EffectiveConfig } from '../config/schema/config-schema.ts';

/** Names of secrets: all that are stored, and those of them that fit in no header. */
export type StoredNames = { stored: ReadonlySet<string>; unsendable: ReadonlySet<string> };

type Routed = Pick<EffectiveConfig, 'repos' | 'engine'>;
type GrantProblem = { path: string; message: string; isMissing: boolean };

/**
 * Grants of secrets to work that can never be used, by their place. With `before` only those that were
 * not there: what was made is told as a problem and holds up no other change.
 */
export function grantProblems(
  config: Routed,
  names: StoredNames,
  before?: Pick<Routed, 'repos'>,
): GrantProblem[] {
  const known = new Set(before === undefined ? [] : grantsOf(before).map(({ key }) => key));
  return grantsOf(config).flatMap(({ path, name, key }) => {
    const message = known.has(key) ? null : problemOf(name, config, names);
    return message === null ? [] : [{ path, message, isMissing: !names.stored.has(name) }];
  });
}

/** The same as problems of a configuration in force, where a missing secret is told of anyway. */
export function unusableGrants(config: Routed, names: StoredNames): ConfigProblem[] {
  return grantProblems(config, names)
    .filter(({ isMissing }) => !isMissing)
    .map(({ path, message }) => ({
      source: 'secrets',
      code: 'unusable_grant',
      path,
      message: `${path}: ${message}`,
      severity: 'warning',
      blocksDispatch: false,
    }));
}

function grantsOf({ repos }: Pick<Routed, 'repos'>) {
  return repos.flatMap(({ url, secrets = [] }, route) =>
    secrets.map((grant, index) => ({
      path: `repos.${route}.secrets.${index}`,
      name: grant.secret.slice('$SECRET:'.length),
      key: JSON.stringify([url, grant]),
    })),
  );
}

function problemOf(name: string, { engine }: Routed, names: StoredNames): string | null {
  if (!names.stored.has(name)) {
    return `the secret ${name} is not stored: store it first with POST /api/v1/secrets/${name}`;
  }
  if (names.unsendable.has(name)) {
    return `the secret ${name} ${UNSENDABLE_SECRET}: store another value under this name`;
  }
  return engine.sandbox.network === 'none'
    ? `nothing is reached with engine.sandbox.network "none", so the secret ${name} is never sent: allow a network first`
    : null;
}
