import type { EngineCapabilities, RunnerEngine } from '@switchyard/shared/engine/runner-engine';
import { DEFAULT_ENGINE } from '../../admin/config/sections/routing/format-problem.ts';
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

/** Names of the engines that a runner can be asked for, and of those that it is fetching. */
export function engineNames(row: Parameters<typeof enginesOf>[0]): {
  engines: string[];
  fetching: string[];
} {
  const all = enginesOf(row);
  return {
    engines: all.filter(mayBeAsked).map(({ name }) => name),
    fetching: all.filter(({ state }) => state === 'fetching').map(({ name }) => name),
  };
}

/** It is there, or is fetched when it is asked for. */
function mayBeAsked({ state }: Pick<OwnEngine, 'state'>): boolean {
  return state === undefined || state === 'fetchable';
}
