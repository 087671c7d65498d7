import { OWN_BRANCH_PREFIX } from '@switchyard/shared/protocol/is-own-branch';
import { cutText } from '@switchyard/shared/text/cut-text';
import { WorkspaceError } from '../workspace.ts';

const MAX_BRANCH_BYTES = 200;

/**
 * Checks a branch name that came from outside against git's own rules, a little stricter (no
 * control or format characters, no leading `-`). Throws `branch_refused`.
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

/** As assertBranchName, and only below `switchyard/`: nothing else is ever pushed by an attempt. */
export function assertOwnBranchName(name: string): void {
  assertBranchName(name);
  if (!name.startsWith(OWN_BRANCH_PREFIX)) {
    throw new WorkspaceError('branch_refused', `branch ${name} is outside ${OWN_BRANCH_PREFIX}`);
  }
}

function branchNameFault(name: string): string | null {
  if (name === '' || Buffer.byteLength(name) > MAX_BRANCH_BYTES) return 'is empty or too long';
  if (/[\p{Cc}\p{Cf}\p{Cs}\s~^:?*[\\]/u.test(name)) return 'has characters that git refuses';
  if (name === '@' || name === 'HEAD') return 'is reserved by git';
  if (name.includes('..') || name.includes('@{')) return 'contains a range or reflog mark';
  if (name.startsWith('-') || name.startsWith('refs/')) return 'has a start that is not allowed';
  const badPart = name
    .split('/')
    .some(
      (part) => part === '' || part.startsWith('.') || part.endsWith('.') || part.endsWith('.lock'),
    );
  return badPart ? 'has an empty part or one that begins or ends with a dot or .lock' : null;
}
