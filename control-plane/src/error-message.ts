import { messageOf } from '@switchyard/shared/message-of';

/**
 * A database error's text without the parameters of its statement, which come last and may be any
 * text.
 */
export function withoutParameters(text: string): string {
  const statementAt = text.indexOf('Failed query:');
  const end = statementAt === -1 ? -1 : text.indexOf('\nparams:', statementAt);
  return end === -1 ? text : text.slice(0, end);
}

/** Error names of the language and platform; this service's own errors have others. */
const PLATFORM_ERRORS = new Set([
  'TypeError',
  'RangeError',
  'SyntaxError',
  'ReferenceError',
  'URIError',
  'EvalError',
  'AggregateError',
  'LibsqlError',
]);
/** Codes of libraries and platforms; this service's own codes are in lower case. */
const LIBRARY_CODE = /^[A-Z][A-Z0-9_]+$/;

/**
 * An error's text that may be stored and shown: the message of an own error, but only name and code
 * of any other, because libraries repeat their input. For a failed statement the database's
 * message, without its SQL and parameters.
 */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return 'something unknown went wrong';
  const isStatement = error.message.startsWith('Failed query:') && error.cause instanceof Error;
  if (isStatement) return `the database refused: ${errorMessage(error.cause)}`;
  const code = libraryCodeOf(error);
  // The database's message names columns but no values, which are parameters.
  if (code?.startsWith('SQLITE_') === true) return withoutParameters(error.message);
  const isForeign = code !== null || PLATFORM_ERRORS.has(error.name) || isDomException(error);
  if (!isForeign) return withoutParameters(error.message);
  const inner = code ?? (error.cause instanceof Error ? libraryCodeOf(error.cause) : null);
  return inner === null ? error.name : `${error.name} (${inner})`;
}

/** As `errorMessage`, for the redacted log: the message of any error. */
export function logMessage(error: unknown): string {
  return withoutParameters(messageOf(error));
}

function libraryCodeOf(error: Error): string | null {
  const code = 'code' in error ? error.code : null;
  return typeof code === 'string' && LIBRARY_CODE.test(code) ? code : null;
}

function isDomException(error: Error): boolean {
  return typeof DOMException === 'function' && error instanceof DOMException;
}
