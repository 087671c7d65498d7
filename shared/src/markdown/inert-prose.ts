import type { InlineCode, PhrasingContent, Text } from 'mdast';
import { inertAddress, inertCommands, inertNames, inertText } from '../text/inert-text.ts';
import { cutText } from '../text/cut-text.ts';

const MAX_ADDRESS_CHARS = 300;

/**
 * `kept`: code can be copied as it is, only commands to bots are broken up; not for texts that
 * become a commit message.
 */
export type CodeAs = 'inert' | 'kept';

/**
 * Code without effect. `kept` breaks up only commands to bots, since hosts ignore names in code; a
 * suggestion is then not changed, since a host applies it exactly as it is.
 */
export function inertCode(text: string, code: CodeAs, lang?: string | null): string {
  if (code === 'kept' && lang === 'suggestion') return text;
  return code === 'kept' ? inertCommands(text) : inertText(text);
}

/**
 * What hosts or programs turn into links: addresses of pages and mail (and what resembles them),
 * commits of any repository.
 */
const TOKEN = new RegExp(
  [
    /[a-z][a-z\d+.-]{0,20}:\/\/[^\s<>`]+/,
    /(?<![a-z\d])www\.[^\s<>`]+/,
    /(?<![\w.+-])(?:mailto:|xmpp:)?[\w.+-]{1,64}@[\w.+-]{1,200}(?:\/[\w@.]{1,64})?/,
    /(?<!\w)(?:[\w.-]{1,100}\/)?(?:[\w.-]{1,100}@)?[0-9a-f]{7,64}(?!\w)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);
/** Punctuation that ends a sentence and is not part of an address. */
const TRAILING = /[.,;:!?'")\]}*_~]{1,50}$/;

/**
 * Text as Markdown that links nowhere: addresses and commits become code, other references are
 * broken up.
 */
export function inertProse(text: string): PhrasingContent[] {
  const safe = inertText(text);
  const nodes: PhrasingContent[] = [];
  let end = 0;
  for (const found of safe.matchAll(TOKEN)) {
    const token = found[0].replace(TRAILING, '');
    nodes.push(prose(safe.slice(end, found.index)), addressCode(token));
    end = found.index + token.length;
  }
  nodes.push(prose(safe.slice(end)));
  return joined(nodes);
}

/** Whether a text parsed from Markdown is one that `inertProse` would not change. */
export function isInertProse(text: string): boolean {
  return inertNames(text) === text && text.search(TOKEN) === -1;
}

/** An address as code: readable and copyable, and nobody follows it by accident. */
export function addressCode(address: string): InlineCode {
  const line = address.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  return {
    type: 'inlineCode',
    value: inertAddress(inertText(cutText(line, MAX_ADDRESS_CHARS, '…'))),
  };
}

/**
 * Merges neighbouring nodes of the same kind, which side by side would be parsed as something else.
 */
export function joined(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  const kept: PhrasingContent[] = [];
  for (const node of nodes) {
    const last = kept.at(-1);
    if (node.type === 'text' && node.value === '') continue;
    if (isWords(node) && last !== undefined && isWords(last) && last.type === node.type) {
      kept[kept.length - 1] = { ...last, value: last.value + node.value };
    } else kept.push(node);
  }
  return kept;
}

function prose(text: string): Text {
  return { type: 'text', value: inertNames(text) };
}

function isWords(node: PhrasingContent): node is Text | InlineCode {
  return node.type === 'text' || node.type === 'inlineCode';
}
