import { allows, type FakeGrant } from './fake-credentials.ts';
import type { FakeAnswer } from './fake-github.ts';
import type { FakeRepository } from './fake-state.ts';

type Rule = {
  methods: readonly string[];
  path: RegExp;
  /** One of them is enough, as `name=level`. */
  anyOf: readonly string[];
};

const READ = ['GET'] as const;
const WRITE = ['POST', 'PATCH', 'PUT', 'DELETE'] as const;
const ON_ISSUE = /^\/issues\/(?:comments\/)?\d+\/(?:comments|labels|reactions)(?:\/[^/]+)?$/;

/**
 * What each endpoint wants of a token that has permissions one by one; what stands nowhere here is
 * not served. Source: "Permissions required for fine-grained personal access tokens" of GitHub.
 */
const RULES: readonly Rule[] = [
  { methods: READ, path: /^$/, anyOf: ['metadata=read'] },
  { methods: READ, path: /^\/collaborators\/[^/]+\/permission$/, anyOf: ['metadata=read'] },
  { methods: READ, path: /^\/hooks$/, anyOf: ['repository_hooks=read'] },
  { methods: READ, path: /^\/commits\/[^/]+\/check-runs$/, anyOf: ['checks=read'] },
  { methods: READ, path: /^\/commits\/[^/]+\/status$/, anyOf: ['statuses=read'] },
  { methods: READ, path: /^\/actions\//, anyOf: ['actions=read'] },
  { methods: READ, path: /^\/git\/ref\/.+$/, anyOf: ['contents=read'] },
  { methods: ['POST'], path: /^\/git\/refs$/, anyOf: ['contents=write'] },
  { methods: ['PUT'], path: /^\/pulls\/\d+\/merge$/, anyOf: ['contents=write'] },
  { methods: READ, path: /^\/pulls(?:\/.*)?$/, anyOf: ['pull_requests=read'] },
  { methods: WRITE, path: /^\/pulls(?:\/.*)?$/, anyOf: ['pull_requests=write'] },
  { methods: READ, path: ON_ISSUE, anyOf: ['issues=read', 'pull_requests=read'] },
  { methods: WRITE, path: ON_ISSUE, anyOf: ['issues=write', 'pull_requests=write'] },
  { methods: READ, path: /^\/issues\/comments\/\d+$/, anyOf: ['issues=read', 'pull_requests=read'] },
  { methods: WRITE, path: /^\/issues\/comments\/\d+$/, anyOf: ['issues=write', 'pull_requests=write'] },
  { methods: READ, path: /^\/issues(?:\/.*)?$/, anyOf: ['issues=read'] },
  { methods: WRITE, path: /^\/issues(?:\/.*)?$/, anyOf: ['issues=write'] },
]; // prettier-ignore

/** What a token of this kind is told when a permission is missing. */
export function notAccessible({ kind }: FakeGrant, accepted: readonly string[]): FakeAnswer {
  const by = kind === 'installation' ? 'integration' : 'personal access token';
  return {
    status: 403,
    body: {
      message: `Resource not accessible by ${by}`,
      documentation_url: 'https://docs.github.com/rest',
      status: '403',
    },
    headers: { 'X-Accepted-GitHub-Permissions': accepted.join('; ') },
  };
}

/** Null: the token may ask for this below the repository. */
export function refusal(
  grant: FakeGrant,
  repository: FakeRepository,
  method: string,
  path: string,
): FakeAnswer | null {
  const rule = RULES.find((each) => each.methods.includes(method) && each.path.test(path));
  if (rule === undefined) return { status: 404, body: { message: 'Not Found', status: '404' } };
  // What is public everybody may read.
  if (grant.kind === 'classic' || (method === 'GET' && repository.isPublic)) return null;
  return mayDo(grant, rule.anyOf) ? null : notAccessible(grant, rule.anyOf);
}

/** Whether a token has one of the permissions, each as `name=level`. */
export function mayDo(grant: FakeGrant, anyOf: readonly string[]): boolean {
  if (grant.kind === 'classic') return true;
  return anyOf.some((need) => {
    const [name = '', level = ''] = need.split('=');
    return allows(grant.permissions, name, level);
  });
}
