import { type BaseFile, readBaseFile } from '../../src/config/base-file.ts';
import type { ConfigProblem } from '../../src/config/config-store.ts';
import { routeProblems } from '../../src/config/route-problems.ts';
import { readEnvironment } from '../../src/config/read-environment.ts';
import { mergeConfig } from '../../src/config/overlay/merge-config.ts';

/** Problems of a base file together with the environment's variables. */
export function validateConfig(file: BaseFile | null, env: NodeJS.ProcessEnv): ConfigProblem[] {
  const environment = readEnvironment(env);
  const base = file === null ? null : readBaseFile(file, env);
  const problems = [...(base?.problems ?? []), ...environment.problems];
  if (base?.ok === false) return problems;
  const merged = mergeConfig([base?.layer ?? {}, environment.layer]);
  if (merged.ok) {
    const layers = { base: base?.layer ?? {}, environment: environment.layer };
    return [...problems, ...routeProblems(merged.config.repos, layers)];
  }
  const wrong = merged.errors.map((error): ConfigProblem => ({
    source: 'environment',
    code: 'invalid_value',
    message: `${error.path}: ${error.message}`,
    severity: 'error',
    blocksDispatch: true,
  }));
  return [...problems, ...wrong];
}
