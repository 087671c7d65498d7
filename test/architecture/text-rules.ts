import { parseSync, Visitor } from 'oxc-parser';
import { isTestFile, type SourceTree } from './source-tree.ts';
import type { Violation } from './violation.ts';

/** Files that cut text at a limit by hand, with what makes every place in it one between characters. */
const mayCutText: readonly (readonly [path: RegExp, reason: string])[] = [
  [/^shared\/src\/text\/cut-text\.ts$/, 'where cutText and textTail are'],
  [/^shared\/src\/protocol\/workspace-key\.ts$/, 'ASCII: everything else was replaced before'],
  [/^shared\/src\/branch\/branch-name-for\.ts$/, 'ASCII: everything else was replaced before'],
  [
    /^runner\/src\/(workspace\/objects\/assert-trees-fit|attempt\/work-findings)\.ts$/,
    'ids of git',
  ],
  [/^runner\/src\/engine\/acp\/profiles\/claude\/launch-claude\.ts$/, 'ASCII letters and dashes'],
  [/^control-plane\/src\/notifications\/notify-issue\.ts$/, 'ASCII letters of an id'],
  [/^control-plane\/src\/config\/secrets\/master-key\.ts$/, 'hexadecimal digits'],
  [/^control-plane\/src\/integrations\/webhook\/signature-holds\.ts$/, 'hexadecimal digits'],
];

/** Digests, dates and times are cut at less; lists at a named limit, or at less. */
const MAX_BARE_LIMIT = 32;
/** A limit has its unit in its name: this one's is text. */
const TEXT_LIMIT = /(chars|characters|bytes)(_?max)?$/i;
/** A constant or a limit; a name like `end` is a place that was found in the text. */
const LIMIT = /^[A-Z][A-Z0-9_]*$|[mM]ax|[lL]imit|[rR]oom/;
const TEXT_CALL =
  /^(String|messageOf|plainLine|plainText|visibleLine|visibleText|prettifyError|trim|trimStart|trimEnd|replace|replaceAll|join|normalize|toLowerCase|toUpperCase|toWellFormed|repeat)$/;
const TEXT_NAME =
  /^(text|body|title|description|message|summary|reason|name|path|url|content|line|stderr|stdout|label|header|question|why|subject)$/;

type Node = { type: string; [field: string]: unknown };

/**
 * Finds text that is cut at a limit by hand. Without types it goes by how a limit and a text are named
 * and made here: `.slice(0, MAX_CHARS)`, `title.slice(0, MAX)`, `(x ?? '').slice(-500)`, and each
 * `substring`. Lists are cut at limits that count something else.
 */
export function checkTextCuts(tree: SourceTree): Violation[] {
  return tree.files
    .filter(({ path }) => !path.startsWith('test/') && !isTestFile(path))
    .filter(({ path }) => !mayCutText.some(([known]) => known.test(path)))
    .filter(({ text }) => /\b(slice|substring|substr)\b/.test(text))
    .flatMap(({ path, text }) =>
      textCuts(path, text).map((line) => ({
        rule: 'text-cut',
        path,
        message: `line ${line} cuts text at any place: use cutText or textTail of shared/src/text/cut-text.ts`,
      })),
    );
}

/** Answers, requests and frames whose JSON may name half of a surrogate pair. */
const JSON_OUT = /\bc\.json\(|\b(?:body: |send\(|end\()JSON\.stringify\(/;
const MAY_SEND_AS_MADE = 'runner/src/connection/socket/sync-dial.ts';

/** Finds JSON that leaves the services by another way than `sendJson` and `toJson`. */
export function checkJsonOut(tree: SourceTree): Violation[] {
  return tree.files
    .filter(({ path }) => /^(control-plane|runner)\/src\//.test(path) && !isTestFile(path))
    .filter(({ path, text }) => path !== MAY_SEND_AS_MADE && JSON_OUT.test(text))
    .map(({ path }) => ({
      rule: 'json-out',
      path,
      message:
        'sends JSON that strict readers may refuse: use sendJson, or toJson of shared/src/text',
    }));
}

function textCuts(path: string, text: string): number[] {
  const { program } = parseSync(path, text);
  const strings = new Set<string>();
  const calls: { callee: Node; args: Node[]; start: number }[] = [];
  new Visitor({
    Identifier(node) {
      const { typeAnnotation } = node as { typeAnnotation?: { typeAnnotation: Node } | null };
      if (typeAnnotation?.typeAnnotation.type === 'TSStringKeyword') strings.add(node.name);
    },
    CallExpression({ callee, arguments: args, start }) {
      calls.push({ callee: callee as never, args: args as never, start });
    },
  }).visit(program);
  return calls
    .filter(({ callee, args }) => isTextCut(callee, args, strings))
    .map(({ start }) => text.slice(0, start).split('\n').length);
}

function isTextCut(callee: Node, args: Node[], strings: ReadonlySet<string>): boolean {
  if (callee.type !== 'MemberExpression') return false;
  const method = nameOf(callee['property'] as Node);
  if (method === 'substring' || method === 'substr') return true;
  const limit = method === 'slice' ? limitOf(args) : null;
  if (limit === null) return false;
  const names = namesIn(limit);
  const bare = numberOf(limit);
  if (names.some((name) => TEXT_LIMIT.test(name)) || (bare ?? 0) > MAX_BARE_LIMIT) return true;
  // Of a text that may be an id, a few characters at its beginning are named by their number.
  if (bare !== null) return bare > 1 && isText(callee['object'] as Node, new Set());
  return names.some((name) => LIMIT.test(name)) && isText(callee['object'] as Node, strings);
}

/** How much a call of `slice` keeps at most: `(0, n)`, `(-n)`, `(at, at + n)`; null for other calls. */
function limitOf([first, second]: Node[]): Node | null {
  if (first === undefined) return null;
  if (second === undefined) return isMinus(first) ? (first['argument'] as Node) : negatedIn(first);
  if (isMinus(second)) return null;
  if (numberOf(first) === 0) return second;
  return second.type === 'BinaryExpression' && second['operator'] === '+'
    ? (second['right'] as Node)
    : null;
}

/** `2 - MAX_CHARS` is a negative number too. */
function negatedIn(node: Node): Node | null {
  const isLess = node.type === 'BinaryExpression' && node['operator'] === '-';
  return isLess && numberOf(node['left'] as Node) !== null ? (node['right'] as Node) : null;
}

function isMinus(node: Node): boolean {
  return node.type === 'UnaryExpression' && node['operator'] === '-';
}

function isText(node: Node, strings: ReadonlySet<string>): boolean {
  switch (node.type) {
    case 'ParenthesizedExpression':
    case 'ChainExpression':
      return isText(node['expression'] as Node, strings);
    case 'AwaitExpression':
      return isText(node['argument'] as Node, strings);
    case 'TemplateLiteral':
      return true;
    case 'Literal':
      return typeof node['value'] === 'string';
    case 'BinaryExpression':
    case 'LogicalExpression':
      return [node['left'], node['right']].some((side) => isText(side as Node, strings));
    case 'CallExpression':
      return TEXT_CALL.test(nameOf(node['callee'] as Node));
    case 'Identifier':
      return strings.has(nameOf(node)) || TEXT_NAME.test(nameOf(node));
    case 'MemberExpression':
      return TEXT_NAME.test(nameOf(node));
    default:
      return false;
  }
}

/** The name of a variable or of a property; empty for anything else. */
function nameOf(node: Node): string {
  if (node.type === 'MemberExpression') return nameOf(node['property'] as Node);
  return typeof node['name'] === 'string' ? node['name'] : '';
}

function numberOf(node: Node): number | null {
  return node.type === 'Literal' && typeof node['value'] === 'number' ? node['value'] : null;
}

/** Names that a limit is made of; the length of something else is a place, not a limit. */
function namesIn(node: Node): string[] {
  if (node.type === 'BinaryExpression')
    return [node['left'], node['right']].flatMap((side) => namesIn(side as Node));
  if (node.type === 'CallExpression') return (node['arguments'] as Node[]).flatMap(namesIn);
  return [nameOf(node)].filter((name) => name !== '' && name !== 'length');
}
