/** What is wrong with a template, in words that name the line and the column. */
export class TemplateError extends Error {
  /** From 1; null where the whole is meant. */
  readonly line: number | null;
  readonly column: number | null;
  constructor(message: string, at: { line: number; column: number } | null) {
    super(message);
    this.name = 'TemplateError';
    this.line = at?.line ?? null;
    this.column = at?.column ?? null;
  }
}
