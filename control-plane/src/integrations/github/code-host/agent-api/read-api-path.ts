const MAX_PATH_CHARS = 1_000;
const MAX_QUERY_PARTS = 20;

/**
 * Characters that a decoded part must not contain: separators, a second escape, invisible
 * characters, and those that a reader may take for a separator or a dot.
 */
const SEPARATORS = /[/\\%?#;]/;
const UNSEEN = /[^\P{C}]|[^\P{Z} ]|\p{Default_Ignorable_Code_Point}/u;
const LOOKALIKES =
  /[\u0589\u05c3\u1735\u2024-\u2026\u2044\u2215\u2216\u2236\u2571\u2572\u27cb\u27cd\u29f5-\u29f9\u2cc6\u2f02\u2f03\u3033\ua4fd\ua789]/u;
const FOLDED = /[/\\%?#:.;&=]/g;

/** The allowed query parameters of reads; the effect of any other is unknown. */
const PARAMETERS = new Set(
  (
    'actor after app_id assignee author base before branch check_name check_suite_id creator ' +
    'created direction event exclude_pull_requests filter head head_sha labels mentioned milestone ' +
    'page path per_page protected ref sha since sort state status type until'
  ).split(' '),
);

export type ApiPath = {
  ok: true;
  /** Decoded segments without empty ones. */
  segments: readonly string[];
  /** Decoded parameters; null when there is no query. */
  query: readonly (readonly [name: string, value: string])[] | null;
};

/**
 * Splits a path and decodes each part once. Anything that could be read in two ways is refused; the
 * request is built from these parts by `apiPathText`. Pure.
 */
export function readApiPath(path: string): ApiPath | { ok: false; problem: string } {
  const no = (problem: string) => ({ ok: false as const, problem });
  if (!path.startsWith('/') || path.startsWith('//')) {
    return no('Give a path that begins with /repos/{owner}/{repo}, not an address.');
  }
  if (path.length > MAX_PATH_CHARS) return no(`A path has at most ${MAX_PATH_CHARS} characters.`);
  if (!/^[\x21-\x7e]+$/.test(path) || /[\\#<>"^`|]/.test(path)) {
    return no('The path has characters that no path has; encode them with %.');
  }
  const [before = '', ...queries] = path.split('?');
  if (queries.length > 1) return no('A path has at most one question mark.');
  const segments = before.slice(1).split('/').map(decodedOnce);
  if (segments.some((part) => part === null || !isPlain(part))) {
    return no(
      'The path must not lead upwards, hold empty parts, or hide slashes, dots, percent or invisible signs.',
    );
  }
  const query = queries[0] === undefined ? null : readQuery(queries[0]);
  if (typeof query === 'string') return no(query);
  return { ok: true, segments: segments.filter((part) => part !== null), query };
}

/** The canonical text of a path, with every part encoded again. */
export function apiPathText({ segments, query }: Omit<ApiPath, 'ok'>): string {
  const asked = (query ?? []).map((pair) => pair.map(encodeURIComponent).join('='));
  const before = segments.map((part) => `/${encodeURIComponent(part)}`).join('');
  return asked.length === 0 ? before : `${before}?${asked.join('&')}`;
}

/** The part decoded once; null when it is no UTF-8 text. */
function decodedOnce(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

function isPlain(part: string): boolean {
  return part !== '' && !/^\.{1,2}$/.test(part) && !SEPARATORS.test(part) && isUnambiguous(part);
}

/** Whether a part has no character that becomes a separator, even after Unicode folding. */
function isUnambiguous(part: string): boolean {
  const count = (text: string) => text.match(FOLDED)?.length ?? 0;
  if (UNSEEN.test(part) || LOOKALIKES.test(part)) return false;
  return count(part.normalize('NFKC')) === count(part);
}

function readQuery(text: string): (readonly [string, string])[] | string {
  const given = text.split('&').filter((part) => part !== '');
  if (given.length > MAX_QUERY_PARTS) return `A query has at most ${MAX_QUERY_PARTS} parameters.`;
  const query = new Map<string, string>();
  for (const part of given) {
    const equals = part.indexOf('=');
    const rawValue = equals === -1 ? '' : part.slice(equals + 1);
    const name = equals === -1 ? part : part.slice(0, equals);
    const value = decodedOnce(rawValue.replaceAll('+', ' '));
    if (!PARAMETERS.has(name)) {
      return `The query may have ${[...PARAMETERS].join(', ')}; not others.`;
    }
    if (query.has(name)) return `The parameter ${name} is given twice.`;
    if (value === null || value.includes('%') || !isUnambiguous(value)) {
      return `The value of ${name} hides signs; encode it once, as UTF-8.`;
    }
    query.set(name, value);
  }
  return [...query];
}
