import type { Database } from '../db/database.ts';
import type { Clock } from '../ports/ports.ts';
import type { BaseFile, ReadBaseFile } from './base-file.ts';
import { type EffectiveConfig, defaultConfig } from './schema/config-schema.ts';
import { CONFIG_MAX_STALE_MS } from './config-store.ts';
import type { BaseFileStatus, ConfigProblem, ConfigStore } from './config-store.ts';
import { USUAL_VARIABLES } from './integrations/tracker-facts.ts';
import { type JsonObject, setAtPath } from './values/json-object.ts';
import { ENGINE_LOGIN_SECRET, engineKeyValue } from './provider/engine-key.ts';
import { readEnvironment } from './read-environment.ts';
import { evaluateOverlay } from './overlay/evaluate-overlay.ts';
import { mergeConfig } from './overlay/merge-config.ts';
import { type StoredConfig, readStoredConfig } from './queries.ts';
import { routeProblems } from './route-problems.ts';
import { missingSecrets } from './values/secret-references.ts';

/** The store, with a way to replace the base file when it changes on disk. */
export type ReloadableConfigStore = ConfigStore & {
  /**
   * Replaces the base file (null: it was removed). If it is invalid, the last valid one stays in
   * force and the problem is reported.
   */
  setBaseFile(file: BaseFile | null): void;
};

type Parts = {
  db: Database;
  /** Environment variables: `SERVICE_CONFIG__*`, and the values for `$NAME` in the base file. */
  variables: Readonly<Record<string, string | undefined>>;
  baseFile: BaseFile | null;
  /**
   * Parser of the base file; left out on Workers, which have no disk and so need no YAML parser.
   */
  readBaseFile?: ReadBaseFile;
  /** Clock for the cache of `load`; left out: every `load` reads. */
  clock?: Clock;
};

type Base = { layer: JsonObject; problems: ConfigProblem[]; status: BaseFileStatus | null };

/** The last valid configuration, and the one that results with the stored secrets. */
type InForce = { of: EffectiveConfig; hasLogin: boolean; config: EffectiveConfig };

/** Keys from commonly used environment variables; any other layer overrides them. */
function usualKeys(variables: Parts['variables']): JsonObject {
  const layer: JsonObject = {};
  for (const [name, path] of Object.entries(USUAL_VARIABLES)) {
    const value = variables[name]?.trim() ?? '';
    if (value !== '') setAtPath(layer, path, value);
  }
  return layer;
}

/** Builds the configuration from its three layers and keeps the last valid one. */
export function createConfigStore({
  db,
  variables,
  baseFile,
  readBaseFile = noBaseFile,
  clock,
}: Parts): ReloadableConfigStore {
  const environment = readEnvironment(variables);
  let base: Base = { layer: {}, problems: [], status: null };
  let overlayProblems: ConfigProblem[] = [];
  let secretProblems: ConfigProblem[] = [];
  let unusableRoutes: ConfigProblem[] = [];
  let lastGood: EffectiveConfig | null = null;
  /** Whether the last valid configuration includes an overlay, possibly an earlier one. */
  let overlayInForce = false;
  let inForce: InForce | null = null;
  let loadedVersion: number | null = null;
  let secretVersions = '[]';
  let readAtMs: number | null = null;
  /** Counts changes by this process, so that a read that began before one is discarded. */
  let changes = 0;

  const below = () => [usualKeys(variables), base.layer, environment.layer];

  function expire(): void {
    changes += 1;
    readAtMs = null;
  }

  function setBaseFile(file: BaseFile | null): void {
    base = takeBaseFile(base, file, { readBaseFile, variables, nowMs: clock?.nowMs() ?? null });
    loadedVersion = null;
    expire();
  }
  setBaseFile(baseFile);

  function take(stored: StoredConfig): EffectiveConfig {
    if (lastGood === null || stored.version !== loadedVersion) {
      const evaluation = evaluateOverlay(below(), stored.value);
      if (evaluation.ok) overlayInForce = true;
      // Without any valid overlay, its permissions and limits would not apply to new work.
      const blocksDispatch = !overlayInForce;
      overlayProblems = evaluation.ok
        ? []
        : evaluation.errors.map((error) => overlayProblem({ ...error, blocksDispatch }));
      lastGood = evaluation.ok ? evaluation.config : (lastGood ?? withoutOverlay(below()));
      const layers = { base: base.layer, environment: environment.layer };
      const overlay = evaluation.ok ? stored.value : {};
      unusableRoutes = routeProblems(lastGood.repos, { ...layers, overlay });
      loadedVersion = stored.version;
    }
    secretVersions = stored.secretVersions;
    const known = new Set(stored.secretKeys);
    secretProblems = missingSecrets(lastGood, known, lastGood.engine);
    const hasLogin = known.has(ENGINE_LOGIN_SECRET);
    // Returns the same object while nothing changed, so that others may compare by identity.
    if (inForce?.of !== lastGood || inForce.hasLogin !== hasLogin) {
      inForce = { of: lastGood, hasLogin, config: hasLogin ? withLoginKey(lastGood) : lastGood };
    }
    return inForce.config;
  }

  function isFresh(nowMs: number): boolean {
    if (readAtMs === null) return false;
    const ageMs = nowMs - readAtMs;
    return ageMs >= 0 && ageMs < CONFIG_MAX_STALE_MS;
  }

  return {
    setBaseFile,
    expire,
    latest: () => inForce?.config ?? withoutOverlay(below()),
    secretVersions: () => secretVersions,
    baseFile: () => base.status,
    problems: () => [
      ...base.problems,
      ...environment.problems,
      ...overlayProblems,
      ...unusableRoutes,
      ...secretProblems,
    ],
    evaluate: (overlay) => evaluateOverlay(below(), overlay),
    async load() {
      const nowMs = clock?.nowMs() ?? null;
      if (inForce !== null && nowMs !== null && isFresh(nowMs)) return inForce.config;
      const asOf = changes;
      const config = take(await readStoredConfig(db));
      readAtMs = asOf === changes ? nowMs : null;
      return config;
    },
  };
}

/** Uses the key that an operator's login stored if no key of the provider is configured. */
function withLoginKey(config: EffectiveConfig): EffectiveConfig {
  const { engine } = config;
  if (engine.provider.apiKey === null) return config;
  const apiKey = engineKeyValue(config);
  return { ...config, engine: { ...engine, provider: { ...engine.provider, apiKey } } };
}

function noBaseFile(): never {
  throw new Error('this service reads no configuration file');
}

/** The base layer from a new file; if that is invalid, the layer in force stays. */
function takeBaseFile(
  before: Base,
  file: BaseFile | null,
  given: { readBaseFile: ReadBaseFile; variables: Parts['variables']; nowMs: number | null },
): Base {
  if (file === null) return { layer: {}, problems: [], status: null };
  const read = given.readBaseFile(file, given.variables);
  if (!read.ok) {
    const takenAtMs = before.status?.takenAtMs ?? null;
    const status = { name: file.name, inForce: false, takenAtMs };
    return { layer: before.layer, problems: read.problems, status };
  }
  const status = { name: file.name, inForce: true, takenAtMs: given.nowMs };
  return { layer: read.layer, problems: read.problems, status };
}

function withoutOverlay(below: readonly JsonObject[]): EffectiveConfig {
  const merged = mergeConfig(below, { partial: true });
  return merged.ok ? merged.config : defaultConfig();
}

function overlayProblem(error: {
  path: string;
  message: string;
  blocksDispatch: boolean;
}): ConfigProblem {
  return {
    source: 'overlay',
    code: 'invalid_value',
    message: `${error.path}: ${error.message}`,
    severity: 'error',
    blocksDispatch: error.blocksDispatch,
  };
}
