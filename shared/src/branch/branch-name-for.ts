import { sha256 } from '@noble/hashes/sha2.js';
import { toHex } from '../text/to-hex.ts';
import { OWN_BRANCH_PREFIX } from './is-own-branch.ts';

const MAX_IDENTIFIER_CHARACTERS = 40;
const MAX_TITLE_CHARACTERS = 48;
const HASH_DIGITS = 8;

/**
 * `switchyard/<identifier>-<words of the title>`, only `[a-z0-9/-]`, at most 120 characters. Always
 * a valid ref, whatever the title contains. Two issues may get the same name: see `distinctBranch`.
 */
export function branchNameFor(issue: { identifier: string; title: string }): string {
  const identifier = identifierPart(issue.identifier);
  const title = slug(issue.title, MAX_TITLE_CHARACTERS);
  return `${OWN_BRANCH_PREFIX}${title === '' ? identifier : `${identifier}-${title}`}`;
}

/**
 * A variant of `branch` for an issue when another issue already owns that name; the suffix is
 * derived from `of`.
 */
export function distinctBranch(branch: string, of: string): string {
  return `${branch}-${hashOf(of)}`;
}

function identifierPart(identifier: string): string {
  const part = slug(identifier, MAX_IDENTIFIER_CHARACTERS);
  if (part !== '' && part === identifier.toLowerCase()) return part;
  return part === '' ? `issue-${hashOf(identifier)}` : `${part}-${hashOf(identifier)}`;
}

function hashOf(text: string): string {
  return toHex(sha256(new TextEncoder().encode(text))).slice(0, HASH_DIGITS);
}

/**
 * Lower-case words joined by single dashes; a long text is truncated at the end of a word if
 * possible.
 */
function slug(text: string, maxCharacters: number): string {
  const dashed = text
    .slice(0, 1_000)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  if (dashed.length <= maxCharacters) return dashed;
  const cut = dashed.slice(0, maxCharacters + 1);
  const lastDash = cut.lastIndexOf('-');
  return lastDash > maxCharacters / 2 ? cut.slice(0, lastDash) : cut.slice(0, maxCharacters);
}
