import type { FakeAnswer, FakeGitHub } from './fake-github.ts';
import type { FakeIssue, FakeRepository } from './fake-state.ts';

const NOT_FOUND: FakeAnswer = { status: 404, body: { message: 'Not Found', status: '404' } };

/** As a person transfers it: a new number and a new id there, a redirect here. Null: it is deleted. */
export function transferIssue(
  fake: FakeGitHub,
  from: FakeRepository,
  number: number,
  to: FakeRepository | null,
): FakeIssue | null {
  const at = from.issues.findIndex((issue) => issue.number === number);
  const [issue] = from.issues.splice(at, 1);
  if (at < 0 || issue === undefined) throw new Error(`there is no issue ${number}`);
  if (to === null) {
    from.moves.set(number, null);
    return null;
  }
  to.lastNumber += 1;
  const moved = { ...issue, id: fake.nextId(), number: to.lastNumber };
  to.issues.push(moved);
  from.moves.set(number, { repository: to, number: moved.number });
  return moved;
}

/** What is answered about an issue that lies here no more; null: it does, or never did. */
export function answerMoved(
  fake: FakeGitHub,
  repository: FakeRepository,
  path: string,
  maySee: (repository: FakeRepository) => boolean,
): FakeAnswer | null {
  const [, number, rest = ''] = /^\/issues\/(\d+)(\/.*)?$/.exec(path) ?? [];
  const move = number === undefined ? undefined : repository.moves.get(Number(number));
  if (move === undefined) return null;
  if (move === null) {
    return { status: 410, body: { message: 'This issue was deleted', status: '410' } };
  }
  if (!maySee(move.repository)) return NOT_FOUND;
  return movedTo(fake, move.repository, `/issues/${move.number}${rest}`, 301);
}

/** A renamed repository answers under its id; what writes keeps its method and body. */
export function movedTo(
  fake: FakeGitHub,
  { id }: FakeRepository,
  path: string,
  status: 301 | 307,
): FakeAnswer {
  const url = `${fake.apiUrl}/repositories/${id}${path}`;
  return {
    status,
    body: { message: status === 301 ? 'Moved Permanently' : 'Temporary Redirect', url },
    headers: { Location: url },
  };
}
