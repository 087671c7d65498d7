import type { ConfigProblem, ConfigStore } from './config-store.ts';

/** The state of the configuration, for the observability snapshot and the dashboard. */
export type ConfigHealth = {
  /** `error`: a given value is not in force. */
  status: 'ok' | 'warning' | 'error';
  /** Whether no new work starts until the problem is fixed. */
  blocksDispatch: boolean;
  baseFile: { name: string; inForce: boolean; takenAt: string | null } | null;
  problems: ConfigProblem[];
};

/** The health of the configuration at the last `load`. Contains no values. */
export function configHealth(config: ConfigStore): ConfigHealth {
  const problems = [...config.problems()];
  const file = config.baseFile();
  return {
    status: statusOf(problems),
    blocksDispatch: problems.some((problem) => problem.blocksDispatch),
    baseFile:
      file === null
        ? null
        : {
            name: file.name,
            inForce: file.inForce,
            takenAt: file.takenAtMs === null ? null : new Date(file.takenAtMs).toISOString(),
          },
    problems,
  };
}

function statusOf(problems: readonly ConfigProblem[]): ConfigHealth['status'] {
  if (problems.some((problem) => problem.severity === 'error')) return 'error';
  return problems.length > 0 ? 'warning' : 'ok';
}
