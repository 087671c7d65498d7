import type { ErrorDetail } from '../errors.ts';
import type { EffectiveConfig } from './schema/config-schema.ts';

/** A problem of the configuration that a person should see. */
export type ConfigProblem = {
  source: 'base' | 'environment' | 'overlay' | 'secrets';
  /** Stable code, such as `workflow_parse_error`, `unknown_key` or `missing_secret`. */
  code: string;
  message: string;
  /** Canonical path of the value with the problem, if there is one. */
  path?: string;
  severity: 'error' | 'warning';
  /** True when no new work may start until the problem is fixed. */
  blocksDispatch: boolean;
};

export type ConfigEvaluation =
  | { ok: true; config: EffectiveConfig }
  | { ok: false; unknownKeys: string[]; errors: ErrorDetail[] };

/** The base file that was found, and whether it is in force. */
export type BaseFileStatus = {
  name: string;
  /** False when the file could not be used, so that an earlier content, or none, is in force. */
  inForce: boolean;
  /** When the content in force was read, epoch milliseconds; null when there is none. */
  takenAtMs: number | null;
};

/** Longest time, milliseconds, for which `load` may miss a change by another instance. */
export const CONFIG_MAX_STALE_MS = 1_000;

/** The merged configuration: base file, then environment, then overlay. */
export interface ConfigStore {
  /**
   * The last good effective configuration. Reads one row at most, and none while the last answer is
   * younger than `CONFIG_MAX_STALE_MS`; a change made through this process shows at once. Never
   * throws on bad values.
   */
  load(): Promise<EffectiveConfig>;
  /** The configuration of the last `load`, for synchronous callers. */
  latest(): EffectiveConfig;
  /** Makes the next `load` read the database, because this process changed something. */
  expire(): void;
  /** The problems of all layers at the last `load`. */
  problems(): readonly ConfigProblem[];
  /**
   * The version of all stored secrets at the last `load`; it changes whenever one of them changes.
   */
  secretVersions(): string;
  /** The base file; null when there is none. */
  baseFile(): BaseFileStatus | null;
  /** The configuration that another overlay would give. Changes nothing. */
  evaluate(overlay: Record<string, unknown>): ConfigEvaluation;
}
