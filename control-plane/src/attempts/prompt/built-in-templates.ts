import type { Template } from '@switchyard/shared/api/admin/template';
import { DEFAULT_PROMPT } from './default-prompt.ts';

const FIXED = { builtIn: true, createdAt: null, updatedAt: null } as const;

/** Id of the built-in prompt. */
const DEFAULT_TEMPLATE_ID = 'default';
/** Id of the prompt from the configuration, usually the body of WORKFLOW.md. */
const CONFIGURED_TEMPLATE_ID = 'workflow';

/** Templates that are not stored in the database, in the order in which they are shown. */
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

/** Names that stored templates cannot use, also while no prompt is configured. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(
  builtInTemplates({ prompt: '' }).map(({ name }) => name.toLowerCase()),
);
