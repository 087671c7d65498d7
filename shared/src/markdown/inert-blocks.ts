import type {
  BlockContent,
  Code,
  Heading,
  ListItem,
  Nodes,
  Paragraph,
  PhrasingContent,
  Root,
  RootContent,
  Table,
} from 'mdast';
import { addressCode, type CodeAs, inertCode, inertProse, joined } from './inert-prose.ts';

/** Quotes, lists and emphasis that are nested deeper than this are shown as source text. */
const DEPTH_MAX = 12;
const DEEPEST_HEADING = 6;
const LANGUAGE = /^[\w+#.-]{1,30}$/;
/** Code hosts render these code blocks as diagrams, which may contain links. */
const DRAWN = /^(mermaid|math|geojson|topojson|stl)$/i;
/** HTML tags that only affect layout: the text reads the same without them. */
const LAYOUT_TAG =
  /<\/?(?:details|summary|br|hr|p|div|span|b|strong|i|em|u|s|ins|del|sub|sup|kbd|small|center|blockquote)(?: open)? ?\/?>/gi;

export type InertOptions = {
  /** The level that the highest heading of the text gets. */
  headingLevel: 2 | 3 | 4 | 5 | 6;
  code: CodeAs;
};

type Context = InertOptions & {
  source: string;
  addresses: ReadonlyMap<string, string>;
  /** What is added to the level of every heading. */
  deeper: number;
};

/**
 * The blocks of a parsed text without active content: no link, image, HTML or mention of a person.
 */
export function inertBlocks(root: Root, source: string, options: InertOptions): BlockContent[] {
  const addresses = new Map<string, string>();
  const levels: number[] = [];
  visit(root, (node) => {
    if (node.type === 'heading') levels.push(node.depth);
    // As in Markdown, the first of several definitions with one name counts.
    if (node.type === 'definition' && !addresses.has(node.identifier))
      addresses.set(node.identifier, node.url);
  });
  const deeper = options.headingLevel - levels.reduce((a, b) => Math.min(a, b), DEEPEST_HEADING);
  return blocks(root.children, { ...options, source, addresses, deeper }, 1);
}

/** Calls `see` for each node; iterative, so that deep nesting cannot overflow the stack. */
export function visit(root: Root, see: (node: Nodes) => void): void {
  const open: Nodes[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    see(node);
    if ('children' in node) for (const child of node.children) open.push(child);
  }
}

function blocks(nodes: readonly RootContent[], context: Context, depth: number): BlockContent[] {
  return nodes.flatMap((node) => block(node, context, depth));
}

function block(node: RootContent, context: Context, depth: number): BlockContent[] {
  if (depth > DEPTH_MAX) return [asWritten(node, context)];
  switch (node.type) {
    case 'paragraph':
      return paragraph(phrasing(node.children, context, depth));
    case 'heading':
      return [heading(node, context, depth)];
    case 'blockquote':
      return [{ type: 'blockquote', children: blocks(node.children, context, depth + 1) }];
    case 'list': {
      const children = node.children.map((item) => listItem(item, context, depth));
      return [{ ...node, children }];
    }
    case 'footnoteDefinition': {
      const label = textNodes(`[${node.label ?? node.identifier}]`);
      return [...paragraph(label), ...blocks(node.children, context, depth + 1)];
    }
    case 'table':
      return [table(node, context, depth)];
    case 'code':
      return [code(node.value, node.lang, context)];
    case 'html':
      return htmlBlock(node.value, context);
    case 'thematicBreak':
      return [{ type: 'thematicBreak' }];
    default:
      // Definitions have been collected before; no other node is a block.
      return [];
  }
}

function listItem(item: ListItem, context: Context, depth: number): ListItem {
  return { ...item, children: blocks(item.children, context, depth + 1) };
}

function heading(node: Heading, context: Context, depth: number): Heading {
  const level = Math.min(DEEPEST_HEADING, node.depth + context.deeper);
  const children = phrasing(node.children, context, depth);
  return { type: 'heading', depth: level as Heading['depth'], children };
}

function table(node: Table, context: Context, depth: number): Table {
  const rows = node.children.map((row) => ({
    ...row,
    children: row.children.map((cell) => ({
      ...cell,
      children: phrasing(cell.children, context, depth),
    })),
  }));
  return { ...node, children: rows };
}

function code(value: string, lang: string | null | undefined, context: Context): Code {
  const isShown = typeof lang === 'string' && LANGUAGE.test(lang) && !DRAWN.test(lang);
  const held = inertCode(value, context.code, lang);
  return { type: 'code', lang: isShown ? lang : 'text', value: held };
}

function htmlBlock(value: string, context: Context): BlockContent[] {
  const text = withoutLayout(value);
  return text === null ? [code(value, 'html', context)] : paragraph(textNodes(text.trim()));
}

/** The text of HTML that has only layout tags or comments; null for any other HTML. */
function withoutLayout(html: string): string | null {
  const text = html.replaceAll(LAYOUT_TAG, ' ');
  const isComment = text.trimStart().startsWith('<!--');
  return isComment || !text.includes('<') ? text : null;
}

/** The source text, as code, of a part that is nested too deeply. */
function asWritten(node: RootContent, context: Context): Code {
  const { start, end } = node.position ?? {};
  return code(context.source.slice(start?.offset ?? 0, end?.offset ?? 0), 'text', context);
}

function paragraph(children: PhrasingContent[]): Paragraph[] {
  return children.length === 0 ? [] : [{ type: 'paragraph', children }];
}

function textNodes(text: string): PhrasingContent[] {
  return joined(inertProse(text));
}

function phrasing(
  nodes: readonly PhrasingContent[],
  context: Context,
  depth: number,
): PhrasingContent[] {
  // Adjacent texts are joined before they are checked: together they may form a mention.
  const found = joined(nodes.flatMap((node) => inline(node, context, depth + 1)));
  return joined(found.flatMap((node) => (node.type === 'text' ? inertProse(node.value) : [node])));
}

/** The replacement for a node; its text is not made inert yet. */
function inline(node: PhrasingContent, context: Context, depth: number): PhrasingContent[] {
  switch (node.type) {
    case 'text':
      return [raw(node.value)];
    case 'emphasis':
    case 'strong':
    case 'delete': {
      if (depth > DEPTH_MAX) return [raw(written(node, context))];
      const children = phrasing(node.children, context, depth);
      return children.length === 0 ? [] : [{ type: node.type, children }];
    }
    case 'inlineCode': {
      const value = inertCode(node.value, context.code);
      return value === '' ? [] : [{ type: 'inlineCode', value }];
    }
    case 'break':
      return [{ type: 'break' }];
    case 'html': {
      const text = withoutLayout(node.value);
      return text === null ? [addressCode(node.value)] : [raw(text)];
    }
    case 'link':
      return link(labelOf(node.children, context, depth), node.url);
    case 'linkReference': {
      const label = labelOf(node.children, context, depth);
      return link(label, context.addresses.get(node.identifier) ?? '');
    }
    case 'image':
      return link([raw(node.alt ?? '')], node.url);
    case 'imageReference':
      return link([raw(node.alt ?? '')], context.addresses.get(node.identifier) ?? '');
    case 'footnoteReference':
      return [raw(`[${node.label ?? node.identifier}]`)];
  }
}

function labelOf(nodes: readonly PhrasingContent[], context: Context, depth: number) {
  return nodes.flatMap((node) => inline(node, context, depth + 1));
}

/**
 * The label of a link or image as text, followed by its address if that is a web page, relative or
 * of mail; any other address is dropped.
 */
function link(label: PhrasingContent[], address: string): PhrasingContent[] {
  const page = pageOf(address);
  if (page === null) return label;
  const [first] = label;
  const only = label.length === 1 && first?.type === 'text' ? first.value : null;
  const saysNoMore = only === '' || only === page || only === page.replace(/^https?:\/\//i, '');
  if (label.length === 0 || saysNoMore) return [addressCode(page)];
  return [...label, raw(' ('), addressCode(page), raw(')')];
}

function pageOf(address: string): string | null {
  if (address.startsWith('#') || address === '') return null;
  const scheme = /^\s*([a-z][a-z\d+.-]*):/i.exec(address)?.[1]?.toLowerCase();
  if (scheme === 'mailto') return address.replace(/^\s*mailto:/i, '');
  return scheme === undefined || scheme === 'http' || scheme === 'https' ? address : null;
}

function raw(value: string): PhrasingContent {
  return { type: 'text', value };
}

function written(node: PhrasingContent, { source }: Context): string {
  return source.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0);
}
