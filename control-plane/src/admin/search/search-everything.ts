import type { SearchAnswer, SearchKind, SearchResult } from '@switchyard/shared/api/admin/search';
import { excerptAround, searchTerms, termRank } from '@switchyard/shared/text/term-rank';
import { ownLink } from '../../ports/code-host/own-link.ts';
import type { Deps } from '../../deps.ts';
import { secretKeys } from '../../config/secrets/queries.ts';
import { logText } from './log-text.ts';
import {
  chunksWithTerms,
  FOUND_CHUNKS,
  type FoundChunk,
  type FoundIssue,
  issuesWithTerms,
  type Pieces,
  pullRequestsWithTerms,
} from './queries.ts';
import { searchableSettings } from './searchable-settings.ts';

const EXCERPT_CHARS = 140;
const SECRETS_SCANNED = 1_000;
/** Log lines of one attempt in the result, so that a long log does not fill it. */
const LOG_LINES_PER_ATTEMPT = 3;

/** Order of result kinds with equal rank. */
const KINDS: readonly SearchKind[] = [
  ...(['issue', 'pull_request', 'label', 'setting', 'secret', 'log'] as const),
];

type Terms = readonly string[];
type Searched = Pick<Deps, 'db' | 'service'>;

/**
 * Finds everything that contains all terms of the query, best match first, then by kind and age.
 * `isWanted` is checked between pieces; a search that nobody waits for is abandoned.
 */
export async function searchEverything(
  deps: Searched,
  input: { query: string; limit: number; isWanted?: () => boolean },
): Promise<SearchAnswer> {
  const { isWanted = () => true } = input;
  const terms = searchTerms(input.query);
  if (terms.length === 0 || !isWanted()) return { query: input.query, results: [] };
  const search = { ...deps, terms, isWanted };
  const lists = await inOrder(deps.db, [
    () => foundIssues(search),
    () => foundPullRequests(search),
    () => Promise.resolve(foundSettings(terms)),
    () => foundSecrets(search),
    () => foundLines(search),
  ]);
  const ranked = lists
    .flat()
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
    .slice(0, input.limit);
  return { query: input.query, results: ranked };
}

type Search = Searched & { terms: Terms; isWanted: () => boolean };

/**
 * Runs the searches concurrently if the database is remote, where each read is a round trip; else
 * in order.
 */
async function inOrder<T>(db: Deps['db'], works: readonly (() => Promise<T>)[]): Promise<T[]> {
  if (db.blocks !== true) return Promise.all(works.map((work) => work()));
  const done: T[] = [];
  for (const work of works) done.push(await work());
  return done;
}

/** The pieces of a list, with pauses for other work in between. */
async function* unhurried<Row>({ isWanted }: Search, pieces: Pieces<Row>): Pieces<Row> {
  for await (const rows of pieces) {
    yield rows;
    await new Promise((resolve) => setTimeout(resolve, 0));
    if (!isWanted()) return;
  }
}

function result(
  kind: SearchKind,
  terms: Terms,
  found: { title: string; link: string; detail?: string | null; text?: string },
): SearchResult {
  const { title, link, detail = null, text = '' } = found;
  return { kind, title, detail, link, rank: termRank(terms, title, text) };
}

function foundIssue(issue: FoundIssue, terms: Terms): SearchResult {
  const title = `${issue.identifier} ${issue.title}`;
  const description = issue.description ?? '';
  const says = termRank(terms, title, issue.labels.join(' ')) === 0;
  const found = result('issue', terms, {
    title,
    text: `${issue.labels.join(' ')}\n${description}`,
    detail: says ? excerptAround(terms, description, EXCERPT_CHARS) : issue.state,
    link: `/issues/${encodeURIComponent(issue.identifier)}`,
  });
  // A query that is an identifier ranks that issue first.
  return { ...found, rank: Math.max(found.rank, termRank(terms, issue.identifier)) };
}

/** Issues with these terms, and their labels. */
async function foundIssues(search: Search): Promise<SearchResult[]> {
  const { terms } = search;
  // For an issue in both lists the row from the second list counts.
  const found = new Map<string, { result: SearchResult; labels: readonly string[] }>();
  for await (const rows of unhurried(search, issuesWithTerms(search.db, terms))) {
    for (const row of rows) {
      found.set(row.identifier, { result: foundIssue(row, terms), labels: row.labels });
    }
  }
  const issues = [...found.values()];
  const labels = new Set(issues.flatMap((issue) => issue.labels));
  const ofLabels = [...labels].map((label) =>
    result('label', terms, { title: label, link: `/board?q=${encodeURIComponent(label)}` }),
  );
  return [...issues.map((issue) => issue.result), ...ofLabels];
}

async function foundSecrets({ db, terms }: Search): Promise<SearchResult[]> {
  const { keys } = await secretKeys(db, { limit: SECRETS_SCANNED, offset: 0 });
  return keys.map((key) => result('secret', terms, { title: key, link: '/secrets' }));
}

async function foundPullRequests(search: Search): Promise<SearchResult[]> {
  const { db, service, terms } = search;
  const found: SearchResult[] = [];
  for await (const rows of unhurried(search, pullRequestsWithTerms(db, terms))) {
    for (const row of rows) {
      const own = `/pull-requests/${row.id}`;
      const pullRequest = result('pull_request', terms, {
        title: `#${row.number} ${row.title}`,
        text: `${row.identifier} ${row.branch}\n${row.body}`,
        detail: `${row.identifier} · ${row.status}`,
        link:
          row.url === null || row.code_host === 'local'
            ? own
            : ownLink(service.publicOrigin, row.url),
      });
      found.push(pullRequest);
    }
  }
  return found;
}

function foundSettings(terms: Terms): SearchResult[] {
  return searchableSettings().map(({ path, section, description }) =>
    result('setting', terms, {
      title: path,
      text: description,
      detail: description === '' ? null : excerptAround(terms, description, EXCERPT_CHARS),
      link: `/config?section=${encodeURIComponent(section)}`,
    }),
  );
}

async function foundLines(search: Search): Promise<SearchResult[]> {
  const { db, terms } = search;
  const lines = new Map<string, SearchResult>();
  const counts = new Map<string, number>();
  let chunks = 0;
  for await (const rows of unhurried(search, chunksWithTerms(db, terms))) {
    for (const chunk of rows) {
      if (chunks >= FOUND_CHUNKS) return [...lines.values()];
      chunks += 1;
      for (const line of linesOf(chunk, terms)) {
        const count = counts.get(line.attemptId) ?? 0;
        if (lines.has(line.result.link) || count >= LOG_LINES_PER_ATTEMPT) continue;
        counts.set(line.attemptId, count + 1);
        lines.set(line.result.link, line.result);
      }
    }
  }
  return [...lines.values()];
}

function linesOf(chunk: FoundChunk, terms: Terms) {
  const attemptId = chunk.attempt_id;
  if (attemptId === null) return [];
  return chunk.items.flatMap((event, position) => {
    const line = logText(chunk.first_seq + position, event);
    const { identifier } = event.data;
    if (line === null || typeof identifier !== 'string') return [];
    const rank = termRank(terms, '', line.text);
    if (rank === 0) return [];
    const search = new URLSearchParams({ attempt: attemptId, line: line.key });
    const link = `/issues/${encodeURIComponent(identifier)}?${search.toString()}`;
    const detail = excerptAround(terms, line.text, EXCERPT_CHARS);
    const found: SearchResult = { kind: 'log', title: `Log of ${identifier}`, detail, link, rank };
    return [{ attemptId, result: found }];
  });
}
