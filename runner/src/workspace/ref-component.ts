import { workspaceKey } from '@switchyard/shared/protocol/workspace-key';

/**
 * A workspace key as a component of a ref name, where `..`, a final `.` and `.lock` are not
 * allowed.
 */
export function refComponent(key: string): string {
  const allowed = !/\.\.|\.$|\.lock$|^\.|^-/.test(key);
  return allowed ? key : workspaceKey(`${key.replaceAll('.', '_')}/`);
}
