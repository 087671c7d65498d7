import { toJson } from '../text/well-formed-json.ts';

/** Whether a command was asked to print only JSON, on either stream. */
export function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).includes('--json');
}

/** The failure of a command that prints JSON, as one line for standard output. */
export function errorDocument(message: string, exitCode: number): string {
  return `${toJson({ error: message, exitCode })}\n`;
}
