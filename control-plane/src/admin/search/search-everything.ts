import type { SearchAnswer, SearchKind, SearchResult } from '@switchyard/shared/api/admin/search';
import { excerptAround, searchWords, wordRank } from '@switchyard/shared/text/word-rank';
import { ownLink } from '../../ports/code-host/own-link.ts';
import type { Deps } from '../../deps.ts';
import { secretKeys } from '../../config/secrets/queries.ts';
import { logText } from './log-text.ts';
import {
  chunksWithWords,
  FOUND_CHUNKS,
  type FoundChunk,
  type FoundIssue,
  issuesWithWords,
  type Pieces,
  pullRequestsWithWords,
} from './queries.ts';
import { knownSettings } from './known-settings.ts';

const EXCERPT_CHARS = 140;
const SECRETS_SCANNED = 1_000;
/** A loud log does not fill the whole answer. */
const LOG_LINES_PER_ATTEMPT = 3;

/** In this order among equals. */
const KINDS: readonly SearchKind[] = [
  ...(['issue', 'pull_request', 'label', 'setting', 'secret', 'log'] as const),
];

type Words = readonly string[];
type Searched = Pick<Deps, 'db' | 'service'>;

/**
 * What has all words of the query: nearest first, and among equals by kind and age. `isWanted` is asked
 * between the pieces of a long search: what nobody waits for is given up.
 */
export async function searchEverything(
  deps: Searched,
  input: { query: string; limit: number; isWanted?: () => boolean },
): Promise<SearchAnswer> {
  const { isWanted = () => true } = input;
  const words = searchWords(input.query);
  if (words.length === 0 || !isWanted()) return { query: input.query, results: [] };
  const search = { ...deps, words, isWanted };
  const lists = await inOrder(deps.db, [
    () => foundIssues(search),
    () => foundPullRequests(search),
    () => Promise.resolve(foundSettings(words)),
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

type Search = Searched & { words: Words; isWanted: () => boolean };

/** Side by side where the database works elsewhere: each read is a way there and back. */
async function inOrder<T>(db: Deps['db'], works: readonly (() => Promise<T>)[]): Promise<T[]> {
  if (db.blocks !== true) return Promise.all(works.map((work) => work()));
  const done: T[] = [];
  for (const work of works) done.push(await work());
  return done;
}

/** The pieces of a list, with time for everything else between them. */
async function* unhurried<Row>({ isWanted }: Search, pieces: Pieces<Row>): Pieces<Row> {
  for await (const rows of pieces) {
    yield rows;
    await new Promise((resolve) => setTimeout(resolve, 0));
    if (!isWanted()) return;
  }
}

function result(
  kind: SearchKind,
  words: Words,
  found: { title: string; link: string; detail?: string | null; text?: string },
): SearchResult {
  const { title, link, detail = null, text = '' } = found;
  return { kind, title, detail, link, rank: wordRank(words, title, text) };
}

function foundIssue(issue: FoundIssue, words: Words): SearchResult {
  const title = `${issue.identifier} ${issue.title}`;
  const description = issue.description ?? '';
  const says = wordRank(words, title, issue.labels.join(' ')) === 0;
  const found = result('issue', words, {
    title,
    text: `${issue.labels.join(' ')}\n${description}`,
    detail: says ? excerptAround(words, description, EXCERPT_CHARS) : issue.state,
    link: `/issues/${encodeURIComponent(issue.identifier)}`,
  });
  // Whoever types an identifier means that issue.
  return { ...found, rank: Math.max(found.rank, wordRank(words, issue.identifier)) };
}

/** Issues with these words, and their labels. */
async function foundIssues(search: Search): Promise<SearchResult[]> {
  const { words } = search;
  // Of an issue in both lists the later row counts: what is known among those of every tracker.
  const found = new Map<string, { result: SearchResult; labels: readonly string[] }>();
  for await (const rows of unhurried(search, issuesWithWords(search.db, words))) {
    for (const row of rows) {
      found.set(row.identifier, { result: foundIssue(row, words), labels: row.labels });
    }
  }
  const issues = [...found.values()];
  const labels = new Set(issues.flatMap((issue) => issue.labels));
  const ofLabels = [...labels].map((label) =>
    result('label', words, { title: label, link: `/board?q=${encodeURIComponent(label)}` }),
  );
  return [...issues.map((issue) => issue.result), ...ofLabels];
}

async function foundSecrets({ db, words }: Search): Promise<SearchResult[]> {
  const { keys } = await secretKeys(db, { limit: SECRETS_SCANNED, offset: 0 });
  return keys.map((key) => result('secret', words, { title: key, link: '/secrets' }));
}

async function foundPullRequests(search: Search): Promise<SearchResult[]> {
  const { db, service, words } = search;
  const found: SearchResult[] = [];
  for await (const rows of unhurried(search, pullRequestsWithWords(db, words))) {
    for (const row of rows) {
      const own = `/pull-requests/${row.id}`;
      const pullRequest = result('pull_request', words, {
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

function foundSettings(words: Words): SearchResult[] {
  return knownSettings().map(({ path, section, description }) =>
    result('setting', words, {
      title: path,
      text: description,
      detail: description === '' ? null : excerptAround(words, description, EXCERPT_CHARS),
      link: `/config?section=${encodeURIComponent(section)}`,
    }),
  );
}

async function foundLines(search: Search): Promise<SearchResult[]> {
  const { db, words } = search;
  const lines = new Map<string, SearchResult>();
  const counts = new Map<string, number>();
  let chunks = 0;
  for await (const rows of unhurried(search, chunksWithWords(db, words))) {
    for (const chunk of rows) {
      if (chunks >= FOUND_CHUNKS) return [...lines.values()];
      chunks += 1;
      for (const line of linesOf(chunk, words)) {
        const count = counts.get(line.attemptId) ?? 0;
        if (lines.has(line.result.link) || count >= LOG_LINES_PER_ATTEMPT) continue;
        counts.set(line.attemptId, count + 1);
        lines.set(line.result.link, line.result);
      }
    }
  }
  return [...lines.values()];
}

function linesOf(chunk: FoundChunk, words: Words) {
  const attemptId = chunk.attempt_id;
  if (attemptId === null) return [];
  return chunk.items.flatMap((event, position) => {
    const line = logText(chunk.first_seq + position, event);
    const { identifier } = event.data;
    if (line === null || typeof identifier !== 'string') return [];
    const rank = wordRank(words, '', line.text);
    if (rank === 0) return [];
    const search = new URLSearchParams({ attempt: attemptId, line: line.key });
    const link = `/issues/${encodeURIComponent(identifier)}?${search.toString()}`;
    const detail = excerptAround(words, line.text, EXCERPT_CHARS);
    const found: SearchResult = { kind: 'log', title: `Log of ${identifier}`, detail, link, rank };
    return [{ attemptId, result: found }];
  });
}
