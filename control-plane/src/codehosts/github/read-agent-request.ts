import { z } from 'zod';
import { type RepositoryName, repositoryPath } from '../../github-api/repository-name.ts';
import { AGENT_RULES, type AgentRule, fits } from './agent-rules.ts';

const MAX_PATH_CHARS = 1_000;
const MAX_BODY_CHARS = 65_536;
const PLACEHOLDERS = /^\/repos\/(?:\{owner\}|:owner)\/(?:\{repo\}|:repo)(?=[/?]|$)/;
const BELOW_REPOSITORY = /^\/repos\/([^/?]+)\/([^/?]+)/;

const Arguments = z.looseObject({
  method: z.string().max(16).default('GET'),
  path: z.string(),
  body: z.unknown().optional(),
});

export type AgentRequestScope = {
  repository: RepositoryName;
  /** The issue's own pull request. */
  pullNumber: number | null;
  readOnly: boolean;
};

export type ReadRequest =
  | { ok: true; rule: AgentRule; method: AgentRule['method']; path: string; body: unknown }
  | { ok: false; code: string; message: string; method: string; path: string };

/**
 * Reads what an agent wants of GitHub and holds it against the repository and the list of what is
 * allowed. Pure; nothing that is not clearly within comes through.
 */
export function readAgentRequest(given: unknown, scope: AgentRequestScope): ReadRequest {
  const parsed = Arguments.safeParse(given);
  if (!parsed.success) {
    const message = 'Give `method`, `path` and, where it is needed, `body` as an object.';
    return { ok: false, code: 'malformed', message, method: '', path: '' };
  }
  const method = parsed.data.method.toUpperCase();
  const { path, body } = parsed.data;
  const no = (code: string, message: string): ReadRequest => ({
    ...{ ok: false, code, message, method },
    path: path.slice(0, 200),
  });
  const problem = spellingProblem(path);
  if (problem !== null) return no('path_refused', problem);
  const root = repositoryPath(scope.repository);
  const full = path.replace(PLACEHOLDERS, () => root);
  const [, owner, name] = BELOW_REPOSITORY.exec(full) ?? [];
  if (owner === undefined || name === undefined) {
    return no('not_allowed', `Only paths below ${root} are allowed.`);
  }
  if (`/repos/${owner}/${name}`.toLowerCase() !== root.toLowerCase()) {
    return no('other_repository', `Only the repository of this issue is allowed: ${root}.`);
  }
  const [rest = '', query] = full.slice(`/repos/${owner}/${name}`.length).split('?', 2);
  const rule = AGENT_RULES.find((one) => one.method === method && fits(one, rest));
  if (rule === undefined || (rest.startsWith('/compare/') && rest.includes(':'))) {
    return no('not_allowed', `${method} ${rest || '/'} is not allowed. ${allowedFor(rest)}`);
  }
  const refused = refuseWrite(rule, { rest, query, body }, scope);
  if (refused !== null) return no(...refused);
  const asked = query === undefined || query === '' ? '' : `?${query}`;
  return { ok: true, rule, method: rule.method, path: `${root}${rest}${asked}`, body };
}

/** Tricks that could make a path mean something else than it says. */
function spellingProblem(path: string): string | null {
  if (!path.startsWith('/') || path.startsWith('//')) {
    return 'Give a path that begins with /repos/{owner}/{repo}, not an address.';
  }
  if (path.length > MAX_PATH_CHARS) return `A path has at most ${MAX_PATH_CHARS} characters.`;
  if (!/^[\x21-\x7e]+$/.test(path) || /[\\#<>"^`|]/.test(path)) {
    return 'The path has characters that no path has; encode them with %.';
  }
  const [before = '', ...queries] = path.split('?');
  if (queries.length > 1) return 'A path has at most one question mark.';
  if (before.split('/').some((part) => part === '.' || part === '..') || before.includes('//')) {
    return 'The path must not lead upwards or hold empty parts.';
  }
  // What is hidden behind % must not be a separator, a dot, another % or invisible.
  const hidden = before.match(
    /%(?![0-9A-Fa-f]{2})|%(?:2[5eEfF]|5[cC]|3[fF]|23|[01][0-9A-Fa-f]|7[fF])/,
  );
  return hidden === null ? null : 'The path must not hide slashes, dots or control characters.';
}

function refuseWrite(
  rule: AgentRule,
  given: { rest: string; query: string | undefined; body: unknown },
  scope: AgentRequestScope,
): [code: string, message: string] | null {
  if (rule.method === 'GET') return null;
  if (scope.readOnly) return ['read_only', 'This attempt only looks; it may not write.'];
  if (given.query !== undefined) return ['malformed', 'A request that writes takes no query.'];
  if (rule.own === true && given.rest !== `/pulls/${scope.pullNumber}`) {
    return ['not_own', 'Only the pull request of this issue may be changed.'];
  }
  const text = JSON.stringify(given.body) ?? '';
  if (text.length > MAX_BODY_CHARS) {
    return ['too_large', `The body is longer than ${MAX_BODY_CHARS} characters.`];
  }
  const fitting = rule.body?.safeParse(given.body);
  if (fitting === undefined || fitting.success) return null;
  const [issue] = fitting.error.issues;
  const where = issue?.path.join('.') ?? '';
  return ['malformed', `body${where === '' ? '' : `.${where}`}: ${issue?.message ?? 'malformed'}`];
}

/** What else there is near a path that is not allowed. */
function allowedFor(rest: string): string {
  const [, first = ''] = rest.split('/');
  const near = AGENT_RULES.filter(({ path }) => path.split('/')[1] === first);
  if (near.length === 0) return 'See the description of the tool.';
  return `Allowed are: ${near.map(({ method, path }) => `${method} ${path}`).join(', ')}.`;
}
