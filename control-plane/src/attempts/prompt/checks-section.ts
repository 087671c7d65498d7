import type { CheckSpec } from '@switchyard/shared/checks/check-spec';
import { codeFence } from '@switchyard/shared/text/code-fence';

/** The section of a prompt that names what finished work must pass; empty where nothing is declared. */
export function checksSection(checks: readonly CheckSpec[]): string {
  if (checks.length === 0) return '';
  const listed = checks.map(({ name, command }) => `${name}:\n\n${codeFence(command)}`);
  return [
    '\n\n## Checks',
    'When you have ended with `SWITCHYARD_STATUS: DONE`, these commands run in the workspace. Your work is delivered only if all of them end with exit code 0, so run them yourself first.',
    ...listed,
  ].join('\n\n');
}
