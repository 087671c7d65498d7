import { UNSENDABLE_SECRET } from '@switchyard/shared/sandbox/work-secret';
import { referredSecret } from '@switchyard/shared/settings/secret-reference';
import type { ConfigProblem } from '../config-store.ts';
import type { EffectiveConfig } from '../schema/config-schema.ts';

type Routed = Pick<EffectiveConfig, 'repos' | 'engine'>;
type GrantProblem = { path: string; message: string };

/**
 * Finds entries in `repos[].secrets` whose secret can never be sent, each with its path in the
 * configuration; missing secrets are reported elsewhere. Grants that are already in `before` are
 * skipped, so that an old problem does not block other changes.
 *
 * @param unsendable names of stored secrets that do not fit into a header
 */
export function grantProblems(
  config: Routed,
  unsendable: ReadonlySet<string>,
  before?: Pick<Routed, 'repos'>,
): GrantProblem[] {
  const known = new Set(before === undefined ? [] : grantsOf(before).map(({ key }) => key));
  return grantsOf(config).flatMap(({ path, name, key }) => {
    const message = known.has(key) ? null : problemOf(name, config, unsendable);
    return message === null ? [] : [{ path, message }];
  });
}

/** As `grantProblems`, as problems of the configuration in force. */
export function unusableGrants(config: Routed, unsendable: ReadonlySet<string>): ConfigProblem[] {
  return grantProblems(config, unsendable).map(({ path, message }) => ({
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
      name: referredSecret(grant.secret),
      key: JSON.stringify([url, grant]),
    })),
  );
}

function problemOf(
  name: string,
  { engine }: Routed,
  unsendable: ReadonlySet<string>,
): string | null {
  if (unsendable.has(name)) {
    return `the secret ${name} ${UNSENDABLE_SECRET}: store another value under this name`;
  }
  return engine.sandbox.network === 'none'
    ? `nothing is reached with engine.sandbox.network "none", so the secret ${name} is never sent: allow a network first`
    : null;
}
