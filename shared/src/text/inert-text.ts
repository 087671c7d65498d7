/** Nobody sees it, and no code host or tracker takes a name or a word with it for one of its own. */
const BREAK = '\u200b';

/**
 * A person, a team or everybody is told where such a name is shown; addresses of mail are none. Code
 * hosts take any character but these ASCII ones for the end of what stands before.
 */
const MENTION = /(?<![A-Za-z0-9_])@(?=[\p{L}\p{N}_])/gu;

/**
 * Words after which code hosts and trackers end the issue that is named next, in pull requests and in
 * the messages of commits and merges that are made from them. Source: GitHub, GitLab, Linear.
 */
const CLOSING_WORD =
  /\b(clos|fix|resolv|complet|implement)(e[sd]?|s|ed|ing)?(?=(?:\s*:)?\s*(?:issues?\s+)?(?:#\d|gh-\d|https?:\/\/|[\w.-]{1,100}\/[\w.-]{1,100}#\d|[a-z][a-z\d]{0,20}-\d))/giu;

/** Bots obey a line that begins so, wherever it stands; a path goes on with another `/`. */
const COMMAND = /^([^\S\n]{0,20}\/)(?=[a-z][\w-]{0,40}(?:\s|$))/gim;
/** In prose such a line is no code that must stay as it is. Source: Prow, branch-deploy. */
const PROSE_COMMAND = /^([^\S\n]{0,20}[/.!])(?=[a-z][\w-]{0,40}(?![\w/.-]))/gim;
/** Bots that obey a line which begins with their bare name. Source: Atlantis, bors. */
const BOT_NAME = /^([^\S\n]{0,20}(?:atlanti|bor))(?=s\s)/gim;
/** In the message of a commit it keeps the checks from running. */
const SKIP_CHECKS = /\[(?=(?:skip|no|ci|actions)[ -](?:ci|skip|actions)\])/gi;

/**
 * Text of strangers and agents as it may stand where a code host or tracker acts on words: it names
 * nobody, ends no issue, commands no bot and skips no check. It reads as before.
 */
export function inertText(text: string): string {
  return inertCommands(text)
    .replaceAll(MENTION, `@${BREAK}`)
    .replaceAll(CLOSING_WORD, (word) => `${word.slice(0, 1)}${BREAK}${word.slice(1)}`)
    .replaceAll(SKIP_CHECKS, `[${BREAK}`);
}

/** Text without lines that command a bot. */
export function inertCommands(text: string): string {
  return text.replaceAll(COMMAND, `$1${BREAK}`);
}

/** In the middle of a word too: Markdown puts a backslash before it, and then it names somebody. */
const AT = /@(?=[\p{L}\p{N}_])/gu;
/** Issues, pull requests and commits that a bare word leads to, of this repository or another. */
const NUMBER = /#(?=\d)/g;
const NUMBER_WORD = /\b(gh-)(?=\d)/gi;
/**
 * Names of standards, which look like identifiers and are copied out of texts: no tracker leads anywhere
 * from them unless a team took such a name for its key. Closing words before them are broken all the same.
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
/** After these words a tracker links an identifier however it is written. Source: Linear. */
const LINKED = new RegExp(
  `\\b((?:refs?|references|part of|related to|contributes? to|towards?):?\\s{1,9}${NO_STANDARD}[a-z][a-z\\d]{0,20}-)(?=\\d)`,
  'giu',
);
const ADDRESS = /(\/(?:issues?|pulls?|merge_requests|commits?|discussions|profiles)\/)(?=\w)/gi;
const COMMIT = /(?<!\w)[0-9a-f]{7,64}(?!\w)/gi;
/** Of a shorter number no code host makes a commit. */
const COMMIT_PART = /.{6}(?=.)/g;

/** The same for a line of prose, which refers to nothing either. */
export function inertReferences(text: string): string {
  return inertNames(text).replaceAll(COMMIT, (id) => id.replaceAll(COMMIT_PART, `$&${BREAK}`));
}

/** The same with commits as they are. */
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

/** An address that leads to no issue, pull request or person of a code host or tracker. */
export function inertAddress(text: string): string {
  return text.replaceAll(ADDRESS, `$1${BREAK}`);
}
