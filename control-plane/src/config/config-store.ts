import type { ErrorDetail } from '../errors.ts';
import type { EffectiveConfig } from './schema/config-schema.ts';

/** Something about the configuration that a person should see. */
export type ConfigProblem = {
  source: 'base' | 'environment' | 'overlay' | 'secrets';
  /** Stable word, for example `workflow_parse_error`, `unknown_key` or `missing_secret`. */
  code: string;
  message: string;
  /** Canonical path of the value that is meant, where there is one. */
  path?: string;
  severity: 'error' | 'warning';
  /** True when no new work may start until it is gone. */
  blocksDispatch: boolean;
};

export type ConfigEvaluation =
  | { ok: true; config: EffectiveConfig }
  | { ok: false; unknownKeys: string[]; errors: ErrorDetail[] };

/** Which base file is there, and whether it is the one in force. */
export type BaseFileStatus = {
  name: string;
  /** False when the file could not be used and an earlier content, or none, is in force. */
  inForce: boolean;
  /** When the content in force was taken, epoch milliseconds; null when there is none. */
  takenAtMs: number | null;
};

/** Longest age of what `load` answers when another instance has changed the overlay, milliseconds. */
export const CONFIG_MAX_STALE_MS = 1_000;

/** The merged configuration: base file, environment, overlay on top. */
export interface ConfigStore {
  /**
   * The last good effective configuration. Reads one row at most, and none while the last answer is
   * younger than `CONFIG_MAX_STALE_MS`; a change made through this process shows at once. Never
   * throws on bad values.
   */
  load(): Promise<EffectiveConfig>;
  /** As of the last `load`, for those who cannot wait. */
  latest(): EffectiveConfig;
  /** Makes the next `load` read: something was changed by this process. */
  expire(): void;
  /** What is wrong with the parts, as of the last `load`. */
  problems(): readonly ConfigProblem[];
  /** Of all stored secrets, as of the last `load`: differs whenever one of them is another. */
  secretVersions(): string;
  /** Null when there is no base file. */
  baseFile(): BaseFileStatus | null;
  /** What the configuration would be with another overlay. Changes nothing. */
  evaluate(overlay: Record<string, unknown>): ConfigEvaluation;
}
