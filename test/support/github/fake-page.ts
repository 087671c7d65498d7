import type { FakeGrant } from './fake-credentials.ts';
import type { FakeAnswer, FakeGitHub } from './fake-github.ts';
import type { FakeRepository, FakeUser } from './fake-state.ts';

/** A request below `/repos/:owner/:name`, by somebody who may. */
export type RepositoryRequest = {
  fake: FakeGitHub;
  repository: FakeRepository;
  user: FakeUser;
  grant: FakeGrant;
  method: string;
  /** Below the repository, for example `/pulls/1`. */
  path: string;
  query: URLSearchParams;
  body: Record<string, unknown>;
  /** The whole path, for links of pages. */
  fullPath: string;
};

/** One page of rows with the link to the next, as GitHub gives it. */
export function page(
  { fake, query, fullPath }: RepositoryRequest,
  rows: readonly unknown[],
  wrap: (rows: readonly unknown[]) => unknown = (all) => all,
): FakeAnswer {
  const size = Math.min(fake.pageSize, 100, Number(query.get('per_page') ?? 30));
  const at = Number(query.get('page') ?? 1);
  if (at > fake.maxPages) return invalid(`page ${at}: pagination is limited for this resource`);
  const next = new URLSearchParams(query);
  next.set('page', String(at + 1));
  const more = rows.length > at * size;
  return {
    status: 200,
    body: wrap(rows.slice((at - 1) * size, at * size)),
    ...(more ? { headers: { Link: `<${fullPath}?${next}>; rel="next"` } } : {}),
  };
}

/** 422 with one line of what is wrong, as GitHub puts it. */
export function invalid(
  message: string,
  errors?: readonly { resource: string; code: string; field?: string; message?: string }[],
): FakeAnswer {
  const documentation_url = 'https://docs.github.com/rest';
  return {
    status: 422,
    body: {
      message,
      documentation_url,
      status: '422',
      ...(errors === undefined ? {} : { errors }),
    },
  };
}
