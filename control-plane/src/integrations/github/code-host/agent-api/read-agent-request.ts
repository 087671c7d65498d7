import { cutText } from '@switchyard/shared/text/cut-text';
import { z } from 'zod';
import { type RepositoryName, repositoryPath } from '../../api/repository-name.ts';
import { AGENT_RULES, type AgentRule, fits } from './agent-rules.ts';
import { apiPathText, readApiPath } from './read-api-path.ts';

const MAX_BODY_CHARS = 65_536;
const OWNER_PLACEHOLDER = /^(?:\{owner\}|:owner)$/;
const NAME_PLACEHOLDER = /^(?:\{repo\}|:repo)$/;

const Arguments = z.looseObject({
  method: z.string().max(16).default('GET'),
  path: z.string(),
  body: z.unknown().optional(),
});

export type AgentRequestScope = {
  repository: RepositoryName;
  /** Number of the issue's own pull request; null when there is none. */
  pullNumber: number | null;
  readOnly: boolean;
};

export type ReadRequest =
  | { ok: true; rule: AgentRule; method: AgentRule['method']; path: string; body: unknown }
  | { ok: false; code: string; message: string; method: string; path: string };

/**
 * Parses an agent's request and checks it against the repository and the rules. Pure; anything
 * ambiguous is refused.
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
    ok: false,
    code,
    message,
    method,
    path: cutText(path, 200),
  });
  const asked = readApiPath(path);
  if (!asked.ok) return no('path_refused', asked.problem);
  const root = repositoryPath(scope.repository);
  const [collection, owner, name, ...below] = asked.segments;
  if (collection !== 'repos' || owner === undefined || name === undefined) {
    return no('not_allowed', `Only paths below ${root} are allowed.`);
  }
  const isNamed = OWNER_PLACEHOLDER.test(owner) && NAME_PLACEHOLDER.test(name);
  if (!isNamed && `/repos/${owner}/${name}`.toLowerCase() !== root.toLowerCase()) {
    return no('other_repository', `Only the repository of this issue is allowed: ${root}.`);
  }
  const rest = below.map((part) => `/${part}`).join('');
  const rule = AGENT_RULES.find((one) => one.method === method && fits(one, below));
  if (rule === undefined || crossesForks(below)) {
    return no('not_allowed', `${method} ${rest || '/'} is not allowed. ${allowedFor(rest)}`);
  }
  const refused = refuseWrite(rule, { rest, hasQuery: asked.query !== null, body }, scope);
  if (refused !== null) return no(...refused);
  const fitting = rule.body?.safeParse(body);
  if (fitting?.success === false) return no(...malformed(fitting.error));
  const sent = `${root}${apiPathText({ segments: below, query: asked.query })}`;
  return { ok: true, rule, method: rule.method, path: sent, body: fitting?.data ?? body };
}

/** GitHub compares with forks when a side names its owner. */
function crossesForks([first, ...sides]: readonly string[]): boolean {
  return first === 'compare' && sides.some((side) => side.includes(':'));
}

function refuseWrite(
  rule: AgentRule,
  given: { rest: string; hasQuery: boolean; body: unknown },
  scope: AgentRequestScope,
): [code: string, message: string] | null {
  if (rule.method === 'GET') return null;
  if (scope.readOnly) return ['read_only', 'This attempt only looks; it may not write.'];
  if (given.hasQuery) return ['malformed', 'A request that writes takes no query.'];
  if (rule.own === true && given.rest !== `/pulls/${scope.pullNumber}`) {
    return ['not_own', 'Only the pull request of this issue may be changed.'];
  }
  const text = JSON.stringify(given.body) ?? '';
  if (text.length > MAX_BODY_CHARS) {
    return ['too_large', `The body is longer than ${MAX_BODY_CHARS} characters.`];
  }
  return null;
}

function malformed({ issues: [issue] }: z.ZodError): [code: string, message: string] {
  const where = issue?.path.join('.') ?? '';
  return ['malformed', `body${where === '' ? '' : `.${where}`}: ${issue?.message ?? 'malformed'}`];
}

/** The allowed requests near a refused path, for the error message. */
function allowedFor(rest: string): string {
  const [, first = ''] = rest.split('/');
  const near = AGENT_RULES.filter(({ path }) => path.split('/')[1] === first);
  if (near.length === 0) return 'See the description of the tool.';
  return `Allowed are: ${near.map(({ method, path }) => `${method} ${path}`).join(', ')}.`;
}
