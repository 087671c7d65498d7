import { AppError } from '../../errors.ts';
import { TemplateError } from '../prompt/template-error.ts';

/** Does what may fail because of a template's text; that is the caller's mistake, a 400. */
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
