import type { BlockContent, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown, gfmToMarkdown } from 'mdast-util-gfm';
import { toMarkdown } from 'mdast-util-to-markdown';
import { gfm } from 'micromark-extension-gfm';
import { withoutStatusLine } from '../engine/status-of-line.ts';
import { codeFence } from '../text/code-fence.ts';
import { cutText } from '../text/cut-text.ts';
import { inertText } from '../text/inert-text.ts';
import { plainLine, plainText } from '../text/plain-text.ts';
import { fitBlocks } from './fit-blocks.ts';
import { type InertOptions, inertBlocks, visit } from './inert-blocks.ts';
import { inertCode, inertProse, isInertProse } from './inert-prose.ts';

/** A longer text is shown as source in a code fence, since parsing it would take seconds. */
const MAX_READ_CHARS = 25_000;
/**
 * Marks whose number is limited, since the parser's time grows with it, for some with its square.
 */
const SLOW = [
  { part: /[*_~@]/g, maxCount: 2_000 },
  { part: /[[\]<>!`|&]/g, maxCount: 4_000 },
  // Starts of quotations, list items, headings and footnotes.
  { part: /^[ \t]*(?:>|[-+*#]|\d{1,9}[.)]|\[\^)/gm, maxCount: 1_000 },
];
/** A line that begins with more quotation and list marks than any person writes. */
const NESTED_LINE = /^(?:[ \t]*(?:>|[-+*]|\d{1,9}[.)])){50}/m;

/**
 * Invisible characters that are not part of another one: they hide words, or a name from a search
 * for it.
 */
const HIDDEN = new RegExp(
  '[\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u2060-\\u2064\\u206a-\\u206f]' +
    '|[\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\u{e0000}-\\u{e0fff}]',
  'gu',
);
/** Joiners next to ASCII: they join letters and emoji, and nothing in ASCII. */
const LONE_JOINER = /(?<=^|\p{ASCII})[\u200c\u200d]+|[\u200c\u200d]+(?=\p{ASCII}|$)/gmu;

export type MarkdownLimits = Partial<InertOptions> & {
  /** Limit of the result, in UTF-16 units. */
  maxChars: number;
};

/**
 * Rewrites untrusted Markdown so that it reads as intended and nothing in it acts on a code host or
 * tracker: no mention, reference, closing word, command, link, image or HTML. Its highest heading
 * gets `headingLevel`, and everything it leaves open is closed. Text that cannot be rewritten is
 * put into a code fence. '' for a text without words.
 */
export function inertMarkdown(text: string, limits: MarkdownLimits): string {
  const { maxChars, headingLevel = 3, code = 'inert' } = limits;
  const options: InertOptions = { headingLevel, code };
  // More is parsed than is shown, so that the result ends between two parts of the text.
  const readChars = Math.max(maxChars, Math.min(2 * maxChars, MAX_READ_CHARS));
  const source = cutText(seenText(text), readChars, '…');
  if (source.trim() === '') return '';
  return rendered(source, options, maxChars) ?? fenced(source, maxChars);
}

/**
 * Inert Markdown as a quotation, which distinguishes it from the surrounding text and cannot be
 * left.
 */
export function inertQuote(text: string, limits: MarkdownLimits): string {
  const written = inertMarkdown(text, limits);
  if (written === '') return '';
  const lines = written.split('\n');
  return lines.map((line) => (line === '' ? '>' : `> ${line}`)).join('\n');
}

/** One line of plain text as Markdown that shows it; nothing in it acts either. */
export function inertLine(text: string, maxChars: number): string {
  const line = plainLine(cutText(seenText(text), maxChars, '…'));
  const paragraph: BlockContent = { type: 'paragraph', children: inertProse(line) };
  const written = line === '' ? '' : write([paragraph]);
  if (isInert(written, { headingLevel: 3, code: 'inert' })) return written;
  // A code fence needs more than one line, so the line becomes inline code.
  return write([{ type: 'paragraph', children: [{ type: 'inlineCode', value: inertText(line) }] }]);
}

function seenText(text: string): string {
  return withoutStatusLine(plainText(text).replaceAll(HIDDEN, '').replaceAll(LONE_JOINER, ''));
}

function rendered(source: string, options: InertOptions, maxChars: number): string | null {
  if (source.length > MAX_READ_CHARS || NESTED_LINE.test(source)) return null;
  if (SLOW.some(({ part, maxCount }) => (source.match(part)?.length ?? 0) > maxCount)) return null;
  try {
    const fitted = fitBlocks(inertBlocks(read(source), source, options), maxChars, write);
    const written = write(fitted);
    return written.length <= maxChars && isInert(written, options) ? written : null;
  } catch {
    // Hundreds of nested marks overflow a parser's small stack; no delivery may fail because of
    // that.
    return null;
  }
}

/** Parses the result as a host will, and checks that nothing in it acts. */
function isInert(written: string, { headingLevel, code }: InertOptions): boolean {
  let inert = true;
  visit(read(written), (node) => {
    switch (node.type) {
      case 'link':
      case 'linkReference':
      case 'image':
      case 'imageReference':
      case 'html':
      case 'definition':
      case 'footnoteReference':
      case 'footnoteDefinition':
        inert = false;
        return;
      case 'heading':
        inert &&= node.depth >= headingLevel;
        return;
      case 'text':
        inert &&= isInertProse(node.value);
        return;
      case 'code':
        inert &&= inertCode(node.value, code, node.lang) === node.value;
        return;
      case 'inlineCode':
        inert &&= inertCode(node.value, code) === node.value;
        return;
      default:
    }
  });
  return inert;
}

function read(source: string): Root {
  return fromMarkdown(source, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

function write(children: BlockContent[]): string {
  const root: Root = { type: 'root', children };
  return toMarkdown(root, {
    bullet: '-',
    fences: true,
    listItemIndent: 'one',
    rule: '-',
    extensions: [gfmToMarkdown({ tablePipeAlign: false })],
    // `$` starts a formula, which hosts draw.
    unsafe: [{ character: '$', after: '\\S', inConstruct: 'phrasing' }],
  }).trimEnd();
}

function fenced(source: string, maxChars: number): string {
  const fence = (chars: number) => codeFence(inertText(cutText(source, chars, '…')));
  const whole = fence(maxChars);
  return whole.length <= maxChars ? whole : fence(Math.floor(maxChars / 2));
}
