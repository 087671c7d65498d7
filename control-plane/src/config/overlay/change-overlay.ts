import { commitChange } from '../../observe/events/commit-change.ts';
import type { Step } from '../../db/commit-steps.ts';
import type { Caller } from '../../http/caller/caller.ts';
import type { Database } from '../../db/database.ts';
import { AppError, type ErrorDetail } from '../../errors.ts';
import type { Clock } from '../../ports/ports.ts';
import { changedOverlayPaths } from './changed-paths.ts';
import type { ConfigEvaluation, ConfigStore } from '../config-store.ts';
import { newRouteFaults, faultPath } from '../repositories/route-faults.ts';
import { newRuleFaults } from '../sections/rule-faults.ts';
import { type JsonObject, structureProblem } from '../values/json-object.ts';
import { type StoredOverlay, readStoredConfig, writeOverlayStatement } from '../queries.ts';
import { canonicalEntries } from '../values/canonical-entries.ts';
import type { EffectiveConfig } from '../schema/config-schema.ts';
import { requireOwnKeys } from './require-own-keys.ts';

export type ConfigDeps = {
  db: Database;
  clock: Clock;
  config: ConfigStore;
  wake: () => void;
};

type OverlayChange = {
  caller: Caller;
  /** Operation for the audit row, such as `config.patch`. */
  operation: string;
  /** What was changed: a path, or a name such as a provider's; never a value. Null: everything. */
  subject: string | null;
  /**
   * Steps to commit together with the overlay, such as a secret that the new configuration refers
   * to.
   */
  also?: readonly Step[];
  /**
   * Canonical paths to which this change itself gives a value; left out: it only repeats or removes
   * values.
   */
  gives?: readonly string[];
  /** Computes the next overlay from the present one; called again when another writer was first. */
  change: (overlay: JsonObject) => JsonObject;
};

const MAX_TRIES = 5;
const MAX_CHARACTERS = 1_048_576;

/**
 * Stores a changed overlay if the resulting configuration is valid, with audit row and event.
 * Throws `bad_request` that names the problem, `unprocessable` when a key would be sent to another
 * host than its own, `conflict` after repeated concurrent changes.
 */
export async function changeOverlay(deps: ConfigDeps, input: OverlayChange): Promise<JsonObject> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const current = await readStoredConfig(deps.db);
    // Reads everything again, so that references are checked against the present secrets; a
    // concurrent change of the overlay fails the write.
    deps.config.expire();
    await deps.config.load();
    const next = input.change(current.value);
    const after = requireValid(deps.config, next);
    requireOwnKeys({
      before: deps.config.latest(),
      after,
      gives: [...(input.gives ?? []), ...addedPaths(current.value, next)],
      below: configBelow(deps.config),
      secretKeys: current.secretKeys,
    });
    if (!(await store(deps, input, current, next))) continue;
    deps.config.expire();
    deps.wake();
    return next;
  }
  throw new AppError('conflict', 'the configuration is being changed by others; try again');
}

/** Throws `bad_request` for input that is unsafe to traverse: refused names or endless nesting. */
export function requirePlainValue(value: unknown): void {
  const structure = structureProblem(value);
  if (structure !== null) {
    throw new AppError('bad_request', `the value ${structure}`, { reason: 'invalid_config' });
  }
}

/**
 * Paths that the next overlay sets and the present one does not: the change itself gives their
 * values.
 */
function addedPaths(before: JsonObject, next: JsonObject): string[] {
  const pathsOf = (overlay: JsonObject) =>
    canonicalEntries(overlay).entries.map(({ canonical }) => canonical.join('.'));
  const known = new Set(pathsOf(before));
  return pathsOf(next).filter((path) => !known.has(path));
}

/** The configuration from base file and environment alone; null when it is invalid. */
function configBelow(config: ConfigStore): EffectiveConfig | null {
  const below = config.evaluate({});
  return below.ok ? below.config : null;
}

/** The configuration that an overlay results in. Throws `bad_request` when it is invalid. */
function requireValid(config: ConfigStore, overlay: JsonObject): EffectiveConfig {
  if (JSON.stringify(overlay).length > MAX_CHARACTERS) {
    throw new AppError('too_large', `the overlay is longer than ${MAX_CHARACTERS} characters`);
  }
  const evaluation = config.evaluate(overlay);
  const { unknownKeys, errors } = evaluation.ok ? usable(config, evaluation) : evaluation;
  const [key] = unknownKeys;
  const [error] = errors;
  if (evaluation.ok && key === undefined && error === undefined) return evaluation.config;
  const message =
    key === undefined
      ? [error?.path, error?.message].filter((part) => part !== undefined && part !== '').join(': ')
      : `unknown configuration key "${key}"`;
  const reason = key === undefined ? 'invalid_config' : 'unknown_key';
  throw new AppError('bad_request', message, { reason, details: errors });
}

/**
 * Refuses a valid overlay with new unusable settings; such settings that are already in force must
 * not prevent another change.
 */
function usable(
  config: ConfigStore,
  { config: next }: Extract<ConfigEvaluation, { ok: true }>,
): { unknownKeys: string[]; errors: ErrorDetail[] } {
  const { repos, alerts } = config.latest();
  const routes = newRouteFaults(repos, next.repos).map((each) => ({
    path: faultPath(each),
    message: each.message,
  }));
  return {
    unknownKeys: [],
    errors: [...routes, ...newRuleFaults(alerts.rules, next.alerts.rules)],
  };
}

/** Stores the overlay; false when another writer was first. */
async function store(
  deps: ConfigDeps,
  input: OverlayChange,
  current: StoredOverlay,
  next: JsonObject,
): Promise<boolean> {
  const nowMs = deps.clock.nowMs();
  const paths = changedOverlayPaths(current.value, next);
  const details = { source: 'overlay', version: current.version + 1, paths };
  const { caller, operation } = input;
  const subject = input.subject === null ? {} : { subject: input.subject };
  return commitChange(deps, {
    swap: writeOverlayStatement(deps.db, nowMs, current.version, next),
    ...(input.also === undefined ? {} : { also: input.also }),
    audit: { caller, operation, ...subject, details },
    events: [{ type: 'config.changed', data: details }],
    nowMs,
  });
}
