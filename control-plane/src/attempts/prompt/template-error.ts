/** A template's error, with a message that names line and column. */
export class TemplateError extends Error {
  /** Line, counted from 1; null when the error concerns the whole template. */
  readonly line: number | null;
  readonly column: number | null;
  constructor(message: string, at: { line: number; column: number } | null) {
    super(message);
    this.name = 'TemplateError';
    this.line = at?.line ?? null;
    this.column = at?.column ?? null;
  }
}
