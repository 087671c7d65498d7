import type { CheckSpec } from '@switchyard/shared/checks/check-spec';
import { codeFence } from '@switchyard/shared/text/code-fence';

/**
 * The prompt section that lists the checks that finished work must pass; empty where none are
 * declared.
 */
export function checksSection(checks: readonly CheckSpec[]): string {
  if (checks.length === 0) return '';
  const listed = checks.map(({ name, command }) => `${name}:\n\n${codeFence(command)}`);
  return [
    '\n\n## Checks',
    'When you have ended with `SWITCHYARD_STATUS: DONE`, these commands run in the workspace. Your work is delivered only if all of them end with exit code 0, so run them yourself first.',
    ...listed,
  ].join('\n\n');
}
