const MAX_CHARACTERS = 2_048;
/** Prefixes of access tokens that people enter in place of a user name. */
const LOOKS_LIKE_TOKEN = /^(gh[a-z]_|github_pat_|glpat-)/i;

/**
 * Why an address may not name a repository; null when it may. Allowed are `https://…`, `ssh://…`
 * and `file:///absolute/path`; refused are, for example, a leading `-`, control characters, any
 * other scheme, a password or token, and hosts or users that git could parse as an option.
 */
export function repositoryUrlProblem(text: string): string | null {
  if (text === '' || text.length > MAX_CHARACTERS) return 'must have 1 to 2048 characters';
  if (text.startsWith('-')) return 'must not start with a dash';
  if (/[\p{Cc}\p{Cf}\s]/u.test(text)) return 'must not contain control characters or blanks';
  if (!/^(https|ssh|file):\/\//i.test(text) || !URL.canParse(text)) {
    return 'must be https://…, ssh://… or file:///absolute/path';
  }
  const url = new URL(text);
  if (url.password !== '') return 'must not contain a password; credentials belong in a secret';
  return url.protocol === 'file:' ? fileProblem(text, url) : hostProblem(url);
}

/** A repository's address for people: a local folder as its path, any other as its URL. */
export function shownRepository(url: string): string {
  const [, path] = /^file:\/\/(\/.*)$/i.exec(url) ?? [];
  return path === undefined ? url : (decoded(path) ?? path);
}

function fileProblem(text: string, url: URL): string | null {
  if (!/^file:\/\/\//i.test(text) || url.host !== '' || url.pathname === '/') {
    return 'must name an absolute path on the runner: file:///…';
  }
  if (url.search !== '' || url.hash !== '') return 'must not have a query or fragment';
  if (/%2f/i.test(url.pathname)) return 'must not hide a slash';
  const path = decoded(url.pathname);
  if (path === null || /[\p{Cc}\p{Cf}]/u.test(path)) return 'must not hide control characters';
  return null;
}

function hostProblem(url: URL): string | null {
  const user = decoded(url.username);
  if (user !== null && LOOKS_LIKE_TOKEN.test(user)) {
    return 'must not contain a token; credentials belong in a secret';
  }
  if (url.hostname === '' || url.hostname.startsWith('-')) return 'must name a host';
  if (user === null || user.startsWith('-')) return 'must not have a user that starts with a dash';
  const path = decoded(url.pathname);
  if (path === null || /\p{Cc}/u.test(path)) return 'must not hide control characters';
  return null;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
