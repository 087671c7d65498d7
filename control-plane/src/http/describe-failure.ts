import { cutText } from '@switchyard/shared/text/cut-text';
import { withoutParameters } from '../error-message.ts';

const MAX_MESSAGE_CHARACTERS = 500;
const MAX_FRAMES = 12;
const MAX_CAUSES = 4;

/**
 * The log entry for an unexpected error: messages and call sites, including causes. Parameters of a
 * failed statement are left out, since they may contain a secret.
 */
export function describeFailure(error: unknown): string {
  const parts: string[] = [];
  let current: unknown = error;
  for (let depth = 0; depth < MAX_CAUSES && current !== undefined; depth += 1) {
    parts.push(describeOne(current));
    current = current instanceof Error ? current.cause : undefined;
  }
  return parts.join(' <- ');
}

function describeOne(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const message = cutText(withoutParameters(error.message), MAX_MESSAGE_CHARACTERS);
  const frames = (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, MAX_FRAMES)
    .map((line) => line.trim());
  return [`${error.name}: ${message}`, ...frames].join(' ');
}
