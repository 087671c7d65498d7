import { EngineList } from '@switchyard/shared/api/engines';
import { readOfferedModels } from '../../config/provider/offered-models.ts';
import { engineName } from '../../config/sections/routing/format-problem.ts';
import type { Deps } from '../../deps.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { allRunners } from '../queries.ts';
import { allChoices, configuredEngines } from './configured-engines.ts';
import { listEngines } from './decide.ts';
import { enginesOf } from './engines-of.ts';

/** Routes that list agent engines and their capabilities. */
export function engineListRoutes(deps: Pick<Deps, 'db' | 'connections' | 'config'>) {
  return [
    endpoint({
      at: 'GET /api/v1/engines',
      summary: 'Agent engines: where each is, what it can do and what it lacks',
      answer: json(200, 'Engines, the default one first', EngineList),
      handler: async () => {
        const [rows, config, offered] = await Promise.all([
          allRunners(deps.db),
          deps.config.load(),
          readOfferedModels(deps.db),
        ]);
        const joined = rows.filter((row) => row.revoked_at_ms === null);
        const connected = await deps.connections.connected(joined.map((row) => row.runner_id));
        const runners = joined.map((row) => ({
          runnerId: row.runner_id,
          name: row.name,
          connected: connected.has(row.runner_id),
          engines: enginesOf(row),
        }));
        return {
          engines: listEngines({ configured: configuredEngines(config, offered), runners }),
          choices: allChoices(config).map((choice, index) => ({
            name: choice.name,
            engine: engineName(choice.engine),
            model: choice.model,
            reasoningEffort: choice.reasoningEffort ?? null,
            account: choice.account ?? null,
            isDefault: index === 0,
          })),
        };
      },
    }),
  ] as const;
}
