import { Liquid } from 'liquidjs';
import type { IssueSpec } from '@switchyard/shared/protocol/attempt-spec';

const MAX_PROMPT_CHARS = 400_000;

/**
 * Strict: an unknown variable or filter is an error, not an empty string. Partials come from the
 * empty record here: without it `render` and `layout` would read files of this host.
 */
const engine = new Liquid({
  strictVariables: true,
  strictFilters: true,
  lenientIf: true,
  ownPropertyOnly: true,
  templates: {},
  renderLimit: 1_000,
  parseLimit: MAX_PROMPT_CHARS,
});

export type PromptVariables = {
  issue: IssueSpec & { state: string; priority: number | null };
  attempt: { number: number };
  repo: { url: string; default_branch: string | null };
};

/** Renders a prompt template. Throws liquidjs's own error, which names line and variable. */
export async function renderPrompt(template: string, variables: PromptVariables): Promise<string> {
  const text: unknown = await engine.parseAndRender(template, variables);
  return String(text).slice(0, MAX_PROMPT_CHARS);
}
