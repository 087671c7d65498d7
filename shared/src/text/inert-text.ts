/** Nobody sees it, and no code host or tracker takes a name or a word with it for one of its own. */
const BREAK = '\u200b';

/** A person, a team or everybody is told where such a name is shown; addresses of mail are none. */
const MENTION = /(?<![\p{L}\p{N}_.+-])@(?=[\p{L}\p{N}_])/gu;

/**
 * Words after which code hosts and trackers end the issue that is named next, in pull requests and in
 * the messages of commits and merges that are made from them. Source: GitHub, GitLab, Linear.
 */
const CLOSING_WORD =
  /\b(clos|fix|resolv|complet|implement)(e[sd]?|s|ed|ing)?(?=(?:\s*:)?\s*(?:issues?\s+)?(?:#\d|gh-\d|https?:\/\/|[\w.-]{1,100}\/[\w.-]{1,100}#\d|[a-z][a-z\d]{0,20}-\d))/giu;

/**
 * Text of strangers and agents as it may stand where a code host or tracker acts on words: it names
 * nobody and ends no issue. It reads as before.
 */
export function inertText(text: string): string {
  return text
    .replaceAll(MENTION, `@${BREAK}`)
    .replaceAll(CLOSING_WORD, (word) => `${word.slice(0, 1)}${BREAK}${word.slice(1)}`);
}

/** Blocks and spans of code: nothing acts on them, and what a suggestion holds is taken as it is. */
const CODE = /(^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\2[`~]* *$|$(?![\s\S]))|`[^`\n]+`)/m;

/** The same for Markdown, whose code stays as it is. */
export function inertMarkdown(text: string): string {
  const parts: string[] = [];
  let rest = text;
  for (let code = CODE.exec(rest); code !== null; code = CODE.exec(rest)) {
    parts.push(inertText(rest.slice(0, code.index)), code[0]);
    rest = rest.slice(code.index + code[0].length);
  }
  return [...parts, inertText(rest)].join('');
}
