import type { SetupOverview, SetupStepName } from '@switchyard/shared/api/admin/setup';
import { commandText } from '@switchyard/shared/text/command-text';
import type { z } from 'zod';
import type { ServiceClient } from '../client/service-client.ts';
import { type Finding, good } from './finding.ts';

/** The fields of the setup that are read; a service of an older version has fewer. */
type Setup = {
  provider: { name: string; model: string; warning?: string | null; onTrial?: boolean };
  steps?: z.infer<typeof SetupOverview>['steps'];
};

const TITLES: Record<SetupStepName, string> = {
  master_key: 'master key',
  tracker: 'tracker',
  repository: 'repository',
  provider: 'model',
  code_host: 'code host',
  runner: 'runner',
  issue: 'first issue',
};

/** The open main steps of the setup, and the configured model; empty when no service responds. */
export async function checkSetup(client: ServiceClient): Promise<Finding[]> {
  if (!(await client.answers())) return [];
  const { provider, steps = [] } = await client.ask<Setup>('GET', '/setup');
  const open = steps.filter(
    ({ isMain, state }) => isMain && (state === 'todo' || state === 'failed'),
  );
  return [
    ...(open.some(({ step }) => step === 'provider') ? [] : describeModel(provider)),
    ...open.map(({ step, summary }) => warning(TITLES[step], summary, nextFor(step, client.url))),
  ];
}

/** The model that agents are configured with. */
function describeModel({
  name,
  model,
  warning: wrong = null,
  onTrial,
}: Setup['provider']): Finding[] {
  // The trial without a model is reported with the service.
  if (onTrial === true) return [];
  if (wrong === null) return [good('model', `${model} from ${name}`)];
  return [warning('model', wrong, 'choose one of its models in the setup, or set engine.model')];
}

function nextFor(step: SetupStepName, url: string): string {
  return step === 'issue'
    ? `file one: ${commandText('issue create TITLE', process.env)}`
    : `see to it at ${url}/setup`;
}

function warning(name: string, detail: string, fix: string): Finding {
  return { name, status: 'warn', detail, fix, mend: null };
}
