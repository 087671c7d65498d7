import type { Deps } from '../../deps.ts';
import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import { builtInTemplates } from './built-in-templates.ts';
import { DEFAULT_PROMPT } from './default-prompt.ts';
import { templateById } from './queries.ts';

/**
 * A template that an issue or the configuration names does not exist: attempts that need it cannot
 * start until somebody corrects that.
 */
export class TemplateMissing extends Error {
  constructor(id: string) {
    super(`the prompt template ${id} does not exist`);
    this.name = 'TemplateMissing';
  }
}

/**
 * The template of an issue's next attempt: its own, else `agent.templateId`, else the configured
 * prompt, else the built-in one. Throws TemplateMissing.
 */
export async function promptTemplate(
  db: Deps['db'],
  issue: { template_id: string | null },
  config: EffectiveConfig,
): Promise<string> {
  const id = issue.template_id ?? config.agent.templateId ?? null;
  if (id === null) return config.prompt ?? DEFAULT_PROMPT;
  const builtIn = builtInTemplates(config).find((one) => one.id === id);
  const found = builtIn ?? (await templateById(db, id));
  if (found === null) throw new TemplateMissing(id);
  return found.body;
}
