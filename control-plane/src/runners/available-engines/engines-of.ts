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
  /** Null: the runner does not tell. */
  version: string | null;
  /** Null: the runner is of a version that does not tell. */
  capabilities: EngineCapabilities | null;
  /** Where it is not there yet: how it comes, and what keeps it from it. */
  state?: RunnerEngine['state'];
  problem?: RunnerEngine['problem'];
};

/** The engines that a runner has. One that does not list them has the default engine only. */
export function enginesOf(row: Pick<RunnerRow, 'engines' | 'engine_version'>): OwnEngine[] {
  return row.engines ?? [{ name: DEFAULT_ENGINE, version: row.engine_version, capabilities: null }];
}

/** Why an engine of a runner does no work on trial, in words for people. */
const UNSCRIPTED_PROBLEM =
  'this runner or engine cannot work on trial without a model; update the runner, choose another engine, or connect a model provider';

/** What dispatch knows of a runner's engines, by name. */
export type EngineNames = {
  /** It can be asked for these: they are there, or are fetched when it is asked. */
  engines: string[];
  /** Those of them that it would fetch first. */
  fetchable: string[];
  fetching: string[];
  /** What it could not fetch, and why. */
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

/** What a runner must have for work with that engine and model: under this name only where it has the script. */
export function engineNeeded(engine: string | null | undefined, model: string | null): string {
  const name = engineName(engine);
  return isScriptedModel(model) ? scripted(name) : name;
}

const scripted = (engine: string): string => `${engine}${SCRIPTED_SUFFIX}`;

/**
 * The same by `engineNeeded`: each engine once more for a trial without a model where its runner has
 * the script. Where it has not, it is named as one that cannot be had, with what a person does about it.
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
