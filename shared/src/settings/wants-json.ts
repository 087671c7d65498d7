import { toJson } from '../text/well-formed-json.ts';

/** Whether a command was asked for JSON and nothing else, on either stream. */
export function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).includes('--json');
}

/** How a command that was asked for JSON says that it failed, as one line for standard output. */
export function errorDocument(message: string, exitCode: number): string {
  return `${toJson({ error: message, exitCode })}\n`;
}
