/**
 * An error of a prompt template. `line` and `column` are null when it has no position, for example
 * because it concerns the whole template.
 */
export class TemplateError extends Error {
  /** Line, counted from 1. */
  readonly line: number | null;
  readonly column: number | null;
  constructor(message: string, at: { line: number; column: number } | null) {
    super(message);
    this.name = 'TemplateError';
    this.line = at?.line ?? null;
    this.column = at?.column ?? null;
  }
}
