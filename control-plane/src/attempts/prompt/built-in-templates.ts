import type { Template } from '@switchyard/shared/api/admin/template';
import { DEFAULT_PROMPT } from './default-prompt.ts';

const FIXED = { builtIn: true, createdAt: null, updatedAt: null } as const;

/** Id of the prompt that the program brings along. */
const DEFAULT_TEMPLATE_ID = 'default';
/** Id of the prompt that the configuration gives, usually the body of WORKFLOW.md. */
const CONFIGURED_TEMPLATE_ID = 'workflow';

/** Templates that are no rows, in the order they are shown. */
export function builtInTemplates(config: { prompt?: string | undefined }): Template[] {
  const own: Template = {
    id: DEFAULT_TEMPLATE_ID,
    name: 'Built-in prompt',
    body: DEFAULT_PROMPT,
    ...FIXED,
  };
  if (config.prompt === undefined) return [own];
  const configured = { id: CONFIGURED_TEMPLATE_ID, name: 'Configured prompt', body: config.prompt };
  return [own, { ...configured, ...FIXED }];
}

/** Names and ids that stored templates cannot take, also while no prompt is configured. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(
  builtInTemplates({ prompt: '' }).map(({ name }) => name.toLowerCase()),
);
