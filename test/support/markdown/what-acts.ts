import MarkdownIt from 'markdown-it';
import { Marked } from 'marked';

/** Elements that show text and do nothing. */
const SHOWN =
  /^(?:p|h[3-6]|ul|ol|li|blockquote|pre|code|em|strong|del|s|table|thead|tbody|tr|th|td|hr|br|input)$/;
const ATTRIBUTES =
  /^(?:\s+(?:class="language-[^"<>]*"|start="\d+"|align="\w+"|style="text-align:\w+"|type="checkbox"|disabled=""|checked=""))*\s*\/?$/;
const TAG = /<(\/?)([a-z][a-z\d]*)([^>]*)>|<[!?/a-z][^>]*>?/gi;
const CODE = /<code[^>]*>[\s\S]*?<\/code>/g;

/** What hosts take for a name, a number, an identifier, a commit or an address in shown text. */
const NAMES: readonly RegExp[] = [
  /(?<![A-Za-z0-9_])@[\p{L}\p{N}_]/u,
  /#\d/,
  /\bgh-\d/i,
  /(?<![\p{L}\p{N}_-])[A-Z][A-Z0-9]{0,9}-\d/u,
  /(?<!\w)[0-9a-f]{7,40}(?!\w)/i,
  /[a-z][a-z\d+.-]*:\/\/[^\s<]|\bwww\.[a-z]/i,
];
/** What acts in the message of a commit, where Markdown means nothing. */
const WORDS: readonly RegExp[] = [
  /(?<![A-Za-z0-9_])@[\p{L}\p{N}_]/u,
  /\b(?:close[sd]?|fix(?:es|ed)?|resolve[sd]?)\s*:?\s+(?:#\d|gh-\d|https?:\/\/|[\w.-]+\/[\w.-]+#\d)/i,
  /^[ \t]*\/[a-z][\w-]*[ \t]*$/im,
  /\[(?:skip ci|ci skip|no ci|skip actions|actions skip)\]/i,
  /[\u202a-\u202e\u2066-\u2069\u200e\u200f\u2060\ufeff]/,
];

const renderers: readonly ((text: string) => string)[] = [
  withMarked(true),
  withMarked(false),
  withMarkdownIt(),
];

/** What of a Markdown text would act, as renderers see it that are not ours: empty when nothing does. */
export function whatActs(markdown: string): string[] {
  const found = renderers.map((render) => render(markdown)).flatMap((html) => inHtml(html));
  return [...found, ...matches(WORDS, markdown)];
}

function inHtml(html: string): string[] {
  const tags = [...html.matchAll(TAG)].flatMap(([tag, , name = '', attributes = '']) =>
    SHOWN.test(name) && ATTRIBUTES.test(attributes) ? [] : [tag],
  );
  const text = html.replaceAll(CODE, ' ').replaceAll(TAG, '\u0000');
  return [...tags, ...matches(NAMES, decoded(text))];
}

function matches(patterns: readonly RegExp[], text: string): string[] {
  return patterns.flatMap((pattern) => pattern.exec(text)?.[0] ?? []);
}

function decoded(text: string): string {
  const names: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" };
  return text.replaceAll(/&(lt|gt|quot|amp|#39);/g, (_, name: string) => names[name] ?? '');
}

function withMarked(breaks: boolean): (text: string) => string {
  const marked = new Marked({ gfm: true, breaks });
  return (text) => marked.parse(text, { async: false });
}

function withMarkdownIt(): (text: string) => string {
  const reader = new MarkdownIt({ html: true, linkify: true, breaks: true });
  // What has neither a scheme nor `www.` is made a link nowhere where we write.
  reader.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  return (text) => reader.render(text);
}
