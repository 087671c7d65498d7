import type { Database } from '../db/database.ts';
import { readBaseFile } from './base-file.ts';
import type { BaseFile } from './base-file.ts';
import { defaultConfig } from './config-schema.ts';
import type { EffectiveConfig } from './config-schema.ts';
import type { ConfigProblem, ConfigStore } from './config-store.ts';
import type { JsonObject } from './dotted-paths.ts';
import { readEnvironment } from './environment.ts';
import { evaluateOverlay } from './evaluate-overlay.ts';
import { mergeConfig } from './merge-config.ts';
import { readOverlay } from './queries.ts';

/** The store, and the way in for a base file that changed on disk. */
export type ReloadableConfigStore = ConfigStore & {
  /** Takes a new base file (null: there is none). A bad one keeps the last good one and is named. */
  setBaseFile(file: BaseFile | null): void;
};

type Parts = {
  db: Database;
  /** Environment variables: `SERVICE_CONFIG__*`, and what `$NAME` in the base file stands for. */
  variables: Readonly<Record<string, string | undefined>>;
  baseFile: BaseFile | null;
};

/** Builds the configuration from its three parts. Reads one row per `load`; the rest is cached. */
export function createConfigStore({ db, variables, baseFile }: Parts): ReloadableConfigStore {
  const environment = readEnvironment(variables);
  let base: JsonObject = {};
  let baseProblems: ConfigProblem[] = [];
  let overlayProblems: ConfigProblem[] = [];
  let lastGood: EffectiveConfig | null = null;
  let loadedVersion: number | null = null;

  const below = () => [base, environment.layer];

  function setBaseFile(file: BaseFile | null): void {
    const read =
      file === null
        ? { ok: true as const, layer: {}, problems: [] }
        : readBaseFile(file, variables);
    baseProblems = read.problems;
    if (!read.ok) return;
    base = read.layer;
    loadedVersion = null;
  }
  setBaseFile(baseFile);

  return {
    setBaseFile,
    problems: () => [...baseProblems, ...environment.problems, ...overlayProblems],
    evaluate: (overlay) => evaluateOverlay(below(), overlay),
    async load() {
      const { version, value } = await readOverlay(db);
      if (lastGood !== null && version === loadedVersion) return lastGood;
      const evaluation = evaluateOverlay(below(), value);
      overlayProblems = evaluation.ok ? [] : evaluation.errors.map(overlayProblem);
      lastGood = evaluation.ok ? evaluation.config : (lastGood ?? withoutOverlay(below()));
      loadedVersion = version;
      return lastGood;
    },
  };
}

function withoutOverlay(below: readonly JsonObject[]): EffectiveConfig {
  const merged = mergeConfig(below);
  return merged.ok ? merged.config : defaultConfig();
}

function overlayProblem(error: { path: string; message: string }): ConfigProblem {
  return {
    source: 'overlay',
    code: 'invalid_value',
    message: `${error.path}: ${error.message}`,
    severity: 'error',
    blocksDispatch: false,
  };
}
