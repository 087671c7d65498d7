import { UNTOLD_PROBLEM } from '@switchyard/shared/engine/awaited-facts';
import type { EngineCapabilities, RunnerEngine } from '@switchyard/shared/engine/runner-engine';
import {
  isScriptedModel,
  SCRIPTED_SUFFIX,
} from '@switchyard/shared/model-providers/scripted-model';
import { DEFAULT_ENGINE, engineName } from '../../config/sections/routing/format-problem.ts';
import type { RunnerRow } from '../../db/schema/runners/runners.ts';

/** An agent engine that a runner has. */
export type OwnEngine = {
  name: string;
  /** Null when the runner does not report it. */
  version: string | null;
  /** Null when the runner's version does not report them. */
  capabilities: EngineCapabilities | null;
  /** For an engine that is not installed: how it becomes available, and what prevents that. */
  state?: RunnerEngine['state'];
  problem?: RunnerEngine['problem'];
};

/** The engines of a runner. A runner that does not list them has only the default engine. */
export function enginesOf(row: Pick<RunnerRow, 'engines' | 'engine_version'>): OwnEngine[] {
  return row.engines ?? [{ name: DEFAULT_ENGINE, version: row.engine_version, capabilities: null }];
}

/** Why a runner's engine cannot run a trial, for people. */
const UNSCRIPTED_PROBLEM =
  'this runner or engine cannot work on trial without a model; update the runner, choose another engine, or connect a model provider';

/** A runner's engines as dispatch considers them, by name. */
export type EngineNames = {
  /** Engines that are installed or are downloaded on demand. */
  engines: string[];
  /** Engines among these that must be downloaded first. */
  fetchable: string[];
  fetching: string[];
  /** Engines that could not be downloaded, or with `isThere` cannot be used; with the reason. */
  failed: { name: string; problem: string; isThere?: boolean }[];
};

export function engineNames(row: Parameters<typeof enginesOf>[0]): EngineNames {
  const all = enginesOf(row);
  const inState = (wanted: OwnEngine['state']) => all.filter(({ state }) => state === wanted);
  const fetchable = namesOf(inState('fetchable'));
  return {
    engines: [...namesOf(inState(undefined)), ...fetchable],
    fetchable,
    fetching: namesOf(inState('fetching')),
    failed: inState('failed').map(({ name, problem = UNTOLD_PROBLEM }) => ({ name, problem })),
  };
}

/**
 * The engine name that a runner must have for an engine and model; a scripted model needs the
 * engine's scripted variant.
 */
export function engineNeeded(engine: string | null | undefined, model: string | null): string {
  const name = engineName(engine);
  return isScriptedModel(model) ? scripted(name) : name;
}

const scripted = (engine: string): string => `${engine}${SCRIPTED_SUFFIX}`;

/**
 * A runner's engines by the names of `engineNeeded`: each engine a second time for trials if its
 * runner has the scripted model. Otherwise that variant is listed as unavailable, with advice for
 * people.
 */
export function namesForWork(row: Parameters<typeof enginesOf>[0]): EngineNames {
  const can = new Set(
    namesOf(enginesOf(row).filter(({ capabilities }) => capabilities?.scripted === true)),
  );
  const { engines, fetchable, fetching, failed } = engineNames(row);
  const unable = engines.filter((name) => !can.has(name));
  const able = (names: readonly string[]) => names.filter((name) => can.has(name)).map(scripted);
  const unscripted = { problem: UNSCRIPTED_PROBLEM, isThere: true };
  return {
    engines: [...engines, ...able(engines)],
    fetchable: [...fetchable, ...able(fetchable)],
    fetching: [...fetching, ...fetching.map(scripted)],
    failed: [
      ...failed,
      ...failed.map((one) => ({ ...one, name: scripted(one.name) })),
      ...unable.map((name) => ({ name: scripted(name), ...unscripted })),
    ],
  };
}

const namesOf = (engines: readonly OwnEngine[]): string[] => engines.map(({ name }) => name);
