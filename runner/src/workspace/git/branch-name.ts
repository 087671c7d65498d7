import { createHash } from 'node:crypto';
import { OWN_BRANCH_PREFIX } from '@switchyard/shared/protocol/is-own-branch';
import { cutText } from '@switchyard/shared/text/cut-text';
import { WorkspaceError } from '../workspace.ts';

const MAX_IDENTIFIER_CHARACTERS = 40;
const MAX_TITLE_CHARACTERS = 48;
const MAX_BRANCH_BYTES = 200;

/**
 * `switchyard/<identifier>-<words of the title>`, only `[a-z0-9/-]`, at most 120 characters.
 * Always a valid ref, whatever the title holds.
 */
export function branchNameFor(issue: { identifier: string; title: string }): string {
  const identifier = identifierPart(issue.identifier);
  const title = slug(issue.title, MAX_TITLE_CHARACTERS);
  return `${OWN_BRANCH_PREFIX}${title === '' ? identifier : `${identifier}-${title}`}`;
}

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

function identifierPart(identifier: string): string {
  const part = slug(identifier, MAX_IDENTIFIER_CHARACTERS);
  if (part !== '' && part === identifier.toLowerCase()) return part;
  const hash = createHash('sha256').update(identifier).digest('hex').slice(0, 8);
  return part === '' ? `issue-${hash}` : `${part}-${hash}`;
}

/** Lower-case words joined by single dashes; a long text ends at a whole word where it can. */
function slug(text: string, maxCharacters: number): string {
  const words = text
    .slice(0, 1_000)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  if (words.length <= maxCharacters) return words;
  const cut = words.slice(0, maxCharacters + 1);
  const lastDash = cut.lastIndexOf('-');
  return lastDash > maxCharacters / 2 ? cut.slice(0, lastDash) : cut.slice(0, maxCharacters);
}
