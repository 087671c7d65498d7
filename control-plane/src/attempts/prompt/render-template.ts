import { messageOf } from '@switchyard/shared/message-of';
import { Liquid, LiquidError } from 'liquidjs';
import { TemplateError } from './template-error.ts';

/** Longest template and longest rendered prompt, characters. */
const MAX_TEMPLATE_CHARS = 200_000;
const MAX_RENDERED_CHARS = 400_000;
/** Rendering holds up everything else, so it must be over soon. */
const MAX_RENDER_MS = 500;
/** Characters and list items that a rendering may make on its way. */
const MAX_MEMORY = 5_000_000;

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
  // Dates read the same on every machine. Asking the machine for its own takes 30 ms of a start.
  locale: 'en-US',
  renderLimit: MAX_RENDER_MS,
  memoryLimit: MAX_MEMORY,
  parseLimit: MAX_TEMPLATE_CHARS,
});

/** Reads a template without rendering it. Throws TemplateError. */
export function checkTemplate(body: string): void {
  withPosition(() => engine.parse(body));
}

/** Renders a template with what it may name. Throws TemplateError, also past a limit. */
export function renderTemplate(body: string, variables: object): string {
  const rendered = withPosition(() => String(engine.parseAndRenderSync(body, variables)));
  if (rendered.length > MAX_RENDERED_CHARS) {
    throw new TemplateError(`renders to more than ${MAX_RENDERED_CHARS} characters`, null);
  }
  return rendered;
}

function withPosition<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    // Filters are code too: one that trips over its input says so without a position.
    if (!LiquidError.is(error)) throw new TemplateError(messageOf(error), null);
    const [line, column] = error.token.getPosition();
    throw new TemplateError(error.message, { line: line ?? 1, column: column ?? 1 });
  }
}
