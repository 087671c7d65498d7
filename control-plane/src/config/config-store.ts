import type { ErrorDetail } from '../errors.ts';
import type { EffectiveConfig } from './config-schema.ts';

/** Something about the configuration that a person should see. */
export type ConfigProblem = {
  source: 'base' | 'environment' | 'overlay';
  /** Stable word, for example `workflow_parse_error` or `unknown_key`. */
  code: string;
  message: string;
  severity: 'error' | 'warning';
  /** True when no new work may start until it is gone. */
  blocksDispatch: boolean;
};

export type ConfigEvaluation =
  | { ok: true; config: EffectiveConfig }
  | { ok: false; unknownKeys: string[]; errors: ErrorDetail[] };

/** The merged configuration: base file, environment, overlay on top. */
export interface ConfigStore {
  /** The last good effective configuration. Reads the overlay row; never throws on bad values. */
  load(): Promise<EffectiveConfig>;
  /** What is wrong with the parts, as of the last `load`. */
  problems(): readonly ConfigProblem[];
  /** What the configuration would be with another overlay. Changes nothing. */
  evaluate(overlay: Record<string, unknown>): ConfigEvaluation;
}
