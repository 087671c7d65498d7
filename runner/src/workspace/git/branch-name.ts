import { OWN_BRANCH_PREFIX } from '@switchyard/shared/branch/is-own-branch';
import { branchNameFault } from '@switchyard/shared/settings/branch-name-fault';
import { cutText } from '@switchyard/shared/text/cut-text';
import { WorkspaceError } from '../workspace.ts';

/**
 * Checks a foreign branch name by git's rules, slightly stricter (no control or format characters,
 * no leading `-`). Throws `branch_refused`.
 */
export function assertBranchName(name: string): void {
  const why = branchNameFault(name);
  if (why !== null) {
    throw new WorkspaceError(
      'branch_refused',
      `branch name ${JSON.stringify(cutText(name, 80))} ${why}`,
    );
  }
}

/**
 * Checks a branch name like `assertBranchName`, and requires the prefix `switchyard/`: attempts
 * push no other branches. Throws `branch_refused`.
 */
export function assertOwnBranchName(name: string): void {
  assertBranchName(name);
  if (!name.startsWith(OWN_BRANCH_PREFIX)) {
    throw new WorkspaceError('branch_refused', `branch ${name} is outside ${OWN_BRANCH_PREFIX}`);
  }
}
