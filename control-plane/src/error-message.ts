import { messageOf } from '@switchyard/shared/message-of';

/** A text without what a failed statement was given: anybody's words, and last in its message. */
export function withoutParameters(text: string): string {
  const statementAt = text.indexOf('Failed query:');
  const end = statementAt === -1 ? -1 : text.indexOf('\nparams:', statementAt);
  return end === -1 ? text : text.slice(0, end);
}

/** What the language and its platform throw; our own errors are none of these. */
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
/** How libraries and platforms spell codes; ours are in small letters. */
const LIBRARY_CODE = /^[A-Z][A-Z0-9_]+$/;

/**
 * The words of whatever was thrown, as they may be stored and shown: the message of an error of ours,
 * of any other only its name and code, because messages of libraries repeat what they were given. Of
 * a failed statement the database's words, and neither its text nor its parameters.
 */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return 'something unknown went wrong';
  const isStatement = error.message.startsWith('Failed query:') && error.cause instanceof Error;
  if (isStatement) return `the database refused: ${errorMessage(error.cause)}`;
  const code = libraryCodeOf(error);
  // The database names its columns and never a value: those are parameters.
  if (code?.startsWith('SQLITE_') === true) return withoutParameters(error.message);
  const isForeign = code !== null || PLATFORM_ERRORS.has(error.name) || isDomException(error);
  if (!isForeign) return withoutParameters(error.message);
  const inner = code ?? (error.cause instanceof Error ? libraryCodeOf(error.cause) : null);
  return inner === null ? error.name : `${error.name} (${inner})`;
}

/** The same for the log, which the redactor has read: the message, whoever wrote it. */
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
