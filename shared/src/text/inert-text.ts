/** An invisible character after which no code host or tracker recognizes a name or word. */
const BREAK = '\u200b';

/**
 * A mention, which notifies a person, a team or everybody; mail addresses are excluded. Code hosts
 * let a mention follow any character except these ASCII ones.
 */
const MENTION = /(?<![A-Za-z0-9_])@(?=[\p{L}\p{N}_])/gu;

/**
 * Words after which code hosts and trackers close the issue named next, in pull requests and in
 * messages of commits and merges made from them. Source: GitHub, GitLab, Linear.
 */
const CLOSING_WORD =
  /\b(clos|fix|resolv|complet|implement)(e[sd]?|s|ed|ing)?(?=(?:\s*:)?\s*(?:issues?\s+)?(?:#\d|gh-\d|https?:\/\/|[\w.-]{1,100}\/[\w.-]{1,100}#\d|[a-z][a-z\d]{0,20}-\d))/giu;

/**
 * The slash of a bot's command at the start of a line. A path has a further `/` and is excluded.
 */
const COMMAND = /^([^\S\n]{0,20}\/)(?=[a-z][\w-]{0,40}(?:\s|$))/gim;
/**
 * The first character of a command in prose, which need not stay exact, unlike code. Source: Prow,
 * branch-deploy.
 */
const PROSE_COMMAND = /^([^\S\n]{0,20}[/.!])(?=[a-z][\w-]{0,40}(?![\w/.-]))/gim;
/** Names of bots that obey a line which begins with the bare name. Source: Atlantis, bors. */
const BOT_NAME = /^([^\S\n]{0,20}(?:atlanti|bor))(?=s\s)/gim;
/** A mark that skips the checks when it is in a commit message. */
const SKIP_CHECKS = /\[(?=(?:skip|no|ci|actions)[ -](?:ci|skip|actions)\])/gi;

/**
 * Makes untrusted text safe where a code host or tracker acts on words: it mentions nobody, closes
 * no issue, commands no bot and skips no check. It reads as before.
 */
export function inertText(text: string): string {
  return inertCommands(text)
    .replaceAll(MENTION, `@${BREAK}`)
    .replaceAll(CLOSING_WORD, (word) => `${word.slice(0, 1)}${BREAK}${word.slice(1)}`)
    .replaceAll(SKIP_CHECKS, `[${BREAK}`);
}

/** The text with every line defused that commands a bot. */
export function inertCommands(text: string): string {
  return text.replaceAll(COMMAND, `$1${BREAK}`);
}

/**
 * An `@` also within a word: Markdown puts a backslash before the `@`, which then mentions
 * somebody.
 */
const AT = /@(?=[\p{L}\p{N}_])/gu;
/** Numbers that link issues, pull requests and commits, of this repository or another. */
const NUMBER = /#(?=\d)/g;
const NUMBER_WORD = /\b(gh-)(?=\d)/gi;
/**
 * Names of standards, which resemble identifiers and are copied from texts: no tracker links them
 * unless a team chose such a name as its key. Closing words before them are defused anyway.
 */
const STANDARD = [
  'UTF-(?:7|8|16|32)(?:LE|BE)?',
  'UCS-[24]',
  'LATIN-1',
  'ISO-\\d{4,5}',
  'IEEE-\\d{3,4}',
  'SHA-(?:[123]|224|256|384|512)',
  'AES-(?:128|192|256)',
  'RSA-(?:1024|2048|3072|4096)',
  'RFC-\\d{4,5}',
  'CVE-\\d{4}-\\d{4,7}',
  'CWE-\\d{1,4}',
  '(?:UTC|GMT)-(?:\\d|1[0-4])',
].join('|');
const NO_STANDARD = `(?!(?:${STANDARD})(?![\\p{L}\\p{N}_]))`;
const IDENTIFIER = new RegExp(
  `(?<![\\p{L}\\p{N}_-])${NO_STANDARD}([A-Z][A-Z0-9]{0,9}-)(?=\\d)`,
  'gu',
);
/** Words after which a tracker links an identifier in any spelling. Source: Linear. */
const LINKED = new RegExp(
  `\\b((?:refs?|references|part of|related to|contributes? to|towards?):?\\s{1,9}${NO_STANDARD}[a-z][a-z\\d]{0,20}-)(?=\\d)`,
  'giu',
);
const ADDRESS = /(\/(?:issues?|pulls?|merge_requests|commits?|discussions|profiles)\/)(?=\w)/gi;
const COMMIT = /(?<!\w)[0-9a-f]{7,64}(?!\w)/gi;
/** Six digits: code hosts link no hexadecimal number of fewer than seven as a commit. */
const COMMIT_PART = /.{6}(?=.)/g;

/** Inert text for a line of prose, in which references link nothing either. */
export function inertReferences(text: string): string {
  return inertNames(text).replaceAll(COMMIT, (id) => id.replaceAll(COMMIT_PART, `$&${BREAK}`));
}

/** Inert text in which hashes of commits are not changed. */
export function inertNames(text: string): string {
  return inertAddress(inertText(text))
    .replaceAll(PROSE_COMMAND, `$1${BREAK}`)
    .replaceAll(BOT_NAME, `$1${BREAK}`)
    .replaceAll(AT, `@${BREAK}`)
    .replaceAll(NUMBER, `#${BREAK}`)
    .replaceAll(NUMBER_WORD, `$1${BREAK}`)
    .replaceAll(IDENTIFIER, `$1${BREAK}`)
    .replaceAll(LINKED, `$1${BREAK}`);
}

/** An address that links no issue, pull request or person of a code host or tracker. */
export function inertAddress(text: string): string {
  return text.replaceAll(ADDRESS, `$1${BREAK}`);
}
