import { AppError } from '../../errors.ts';
import { TemplateError } from '../prompt/template-error.ts';

/** Runs `work` and turns its TemplateError into a 400, since the text comes from the caller. */
export function refuseTemplateError<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const { line, column, message } = error;
    const path = line === null ? 'body' : `body:${line}:${column}`;
    throw new AppError('bad_request', `the template cannot be used: ${message}`, {
      reason: 'template_error',
      details: [{ path, message }],
    });
  }
}
