import type { ServiceClient } from '../client/service-client.ts';
import { type Finding, good } from './finding.ts';

/** What is read of the setup; a service of an older version tells no warning. */
type Setup = { provider: { name: string; model: string; warning?: string | null } };

/** The model that agents ask for, as the service knows it; nothing where none answers. */
export async function checkProvider(client: ServiceClient): Promise<Finding[]> {
  if (!(await client.answers())) return [];
  const { provider } = await client.ask<Setup>('GET', '/setup');
  const { name, model, warning = null } = provider;
  if (warning === null) return [good('model', `${model} from ${name}`)];
  const fix = 'choose one of its models in the setup, or set engine.model';
  return [{ name: 'model', status: 'warn', detail: warning, fix, mend: null }];
}
