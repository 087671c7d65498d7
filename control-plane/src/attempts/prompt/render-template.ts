import { messageOf } from '@switchyard/shared/message-of';
import { Liquid, LiquidError } from 'liquidjs';
import { TemplateError } from './template-error.ts';

/** Longest template, in characters. */
const MAX_TEMPLATE_CHARS = 200_000;
/** Longest rendered prompt, in characters. */
const MAX_RENDERED_CHARS = 400_000;
/** Rendering blocks the event loop, so its time is limited. */
const MAX_RENDER_MS = 500;
/** Characters and list items that a rendering may allocate. */
const MAX_MEMORY = 5_000_000;

/**
 * Strict mode: an unknown variable or filter is an error, not an empty string. The empty
 * `templates` record supplies the partials: without it `render` and `layout` would read files of
 * this host.
 */
const engine = new Liquid({
  strictVariables: true,
  strictFilters: true,
  lenientIf: true,
  ownPropertyOnly: true,
  templates: {},
  // A fixed locale formats dates the same on every machine and saves the 30 ms of detecting it.
  locale: 'en-US',
  renderLimit: MAX_RENDER_MS,
  memoryLimit: MAX_MEMORY,
  parseLimit: MAX_TEMPLATE_CHARS,
});

/** Parses a template without rendering it. Throws TemplateError. */
export function checkTemplate(body: string): void {
  withPosition(() => engine.parse(body));
}

/** Renders a template with these variables. Throws TemplateError, also when a limit is exceeded. */
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
    // An error inside a filter is no LiquidError and has no position.
    if (!LiquidError.is(error)) throw new TemplateError(messageOf(error), null);
    const [line, column] = error.token.getPosition();
    throw new TemplateError(error.message, { line: line ?? 1, column: column ?? 1 });
  }
}
