import type { FakeAnswer, FakeGitHub } from './fake-github.ts';
import type { FakeRepository, FakeUser } from './fake-state.ts';

/** A request below `/repos/:owner/:name`, by somebody who may. */
export type RepositoryRequest = {
  fake: FakeGitHub;
  repository: FakeRepository;
  user: FakeUser;
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
  const size = Math.min(fake.pageSize, Number(query.get('per_page') ?? 30));
  const at = Number(query.get('page') ?? 1);
  const next = new URLSearchParams(query);
  next.set('page', String(at + 1));
  const more = rows.length > at * size;
  return {
    status: 200,
    body: wrap(rows.slice((at - 1) * size, at * size)),
    ...(more ? { headers: { Link: `<${fullPath}?${next}>; rel="next"` } } : {}),
  };
}
