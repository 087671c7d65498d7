import type { BlockContent, ListItem, PhrasingContent } from 'mdast';
import { cutText } from '../text/cut-text.ts';

const MARK: BlockContent = { type: 'paragraph', children: [{ type: 'text', value: '…' }] };
/** Length of the blank line between two blocks. */
const GAP_CHARS = 2;
/** With less room than this, a part of a block is left out. */
const MIN_PART_CHARS = 40;

type Write = (blocks: BlockContent[]) => string;

/**
 * The first blocks whose written form fits into `maxChars`. The block that does not fit is
 * truncated to as many of its own parts as fit: a fence is closed, a table keeps complete rows.
 */
export function fitBlocks(blocks: BlockContent[], maxChars: number, write: Write): BlockContent[] {
  if (write(blocks).length <= maxChars) return blocks;
  const room = maxChars - write([MARK]).length - GAP_CHARS;
  return [...firstBlocks(blocks, room, write), MARK];
}

function firstBlocks(blocks: readonly BlockContent[], room: number, write: Write): BlockContent[] {
  const kept: BlockContent[] = [];
  let left = room;
  for (const block of blocks) {
    const chars = write([block]).length + GAP_CHARS;
    if (chars > left) {
      const part = left < MIN_PART_CHARS ? null : shortened(block, left - GAP_CHARS, write);
      return part === null ? kept : [...kept, part];
    }
    kept.push(block);
    left -= chars;
  }
  return kept;
}

function shortened(block: BlockContent, room: number, write: Write): BlockContent | null {
  const fits = (part: BlockContent) => write([part]).length <= room;
  switch (block.type) {
    case 'code':
      return cutBy(
        Math.min(room, block.value.length),
        (chars) => ({ ...block, value: cutText(block.value, chars, '…') }),
        fits,
      );
    case 'paragraph': {
      const { children } = block;
      const part = (count: number, last: PhrasingContent[]): BlockContent => ({
        ...block,
        children: [...children.slice(0, count), ...last],
      });
      const count = most(children.length, (many) => fits(part(many, [])));
      const next = children[count];
      const cut =
        next?.type === 'text'
          ? cutBy(
              Math.min(room, next.value.length),
              (chars) => part(count, [textPart(next.value, chars)]),
              fits,
            )
          : null;
      return cut ?? (count === 0 ? null : part(count, []));
    }
    case 'table': {
      const rows = most(block.children.length, (many) => fits(firstRows(block, many)));
      return rows === 0 ? null : firstRows(block, rows);
    }
    case 'blockquote':
      return firstParts(block.children as BlockContent[], room, write, {
        whole: (children) => ({ ...block, children }),
        shorten: shortened,
      });
    case 'list':
      return firstParts(block.children, room, write, {
        whole: (children) => ({ ...block, children }),
        shorten: shortenedItem,
      });
    default:
      return null;
  }
}

function shortenedItem(item: ListItem, room: number, write: (items: ListItem[]) => string) {
  return firstParts(item.children as BlockContent[], room, write, {
    whole: (children): ListItem => ({ ...item, children }),
    shorten: shortened,
  });
}

type Parts<Whole, Part> = {
  whole: (parts: Part[]) => Whole;
  shorten: (part: Part, room: number, write: (parts: Part[]) => string) => Part | null;
};

/** A block with the first of its parts, the last of them truncated. */
function firstParts<Whole, Part>(
  parts: readonly Part[],
  room: number,
  write: (wholes: Whole[]) => string,
  { whole, shorten }: Parts<Whole, Part>,
): Whole | null {
  const chars = (given: Part[]) => write([whole(given)]).length;
  const first = parts.slice(
    0,
    most(parts.length, (many) => chars(parts.slice(0, many)) <= room),
  );
  const left = first.length === 0 ? room : room - chars(first) - 2 * GAP_CHARS;
  const next = parts[first.length];
  if (next !== undefined && left >= MIN_PART_CHARS) {
    const part = shorten(next, left, (given) => write([whole(given)]));
    if (part !== null && chars([...first, part]) <= room) return whole([...first, part]);
  }
  return first.length === 0 ? null : whole(first);
}

type Rows<Type> = Extract<BlockContent, { type: Type }>;

function firstRows(table: Rows<'table'>, count: number): BlockContent {
  return { ...table, children: table.children.slice(0, count) };
}

function textPart(value: string, chars: number): PhrasingContent {
  return { type: 'text', value: cutText(value, chars, '…') };
}

/**
 * The largest count up to `all` that fits, to within a twentieth of `all`, since each try costs
 * time.
 */
function most(all: number, fits: (count: number) => boolean): number {
  let [low, high] = [0, all];
  while (high - low > all / 20) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Halves the length until the written form fits. */
function cutBy(
  maxChars: number,
  part: (chars: number) => BlockContent,
  fits: (part: BlockContent) => boolean,
): BlockContent | null {
  for (let chars = maxChars; chars >= 1; chars = Math.floor(chars / 2)) {
    const tried = part(chars);
    if (fits(tried)) return tried;
  }
  return null;
}
