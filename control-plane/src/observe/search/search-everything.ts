import type { SearchAnswer, SearchKind, SearchResult } from '@switchyard/shared/api/admin/search';
import { excerptAround, searchWords, wordRank } from '@switchyard/shared/text/word-rank';
import { ownLink } from '../../pull-requests/own-link.ts';
import type { Deps } from '../../deps.ts';
import { secretKeys } from '../../admin/secrets/queries.ts';
import { logText } from './log-text.ts';
import {
  chunksWithWords,
  type FoundIssue,
  issuesWithWords,
  pullRequestsWithWords,
} from './queries.ts';
import { knownSettings } from './known-settings.ts';

const EXCERPT_CHARS = 140;
const SECRETS_SCANNED = 1_000;
/** A loud log does not fill the whole answer. */
const LOG_LINES_PER_ATTEMPT = 3;

type Words = readonly string[];

/** What has all words of the query: nearest first, and among equals by kind and age. */
export async function searchEverything(
  deps: Pick<Deps, 'db' | 'service'>,
  input: { query: string; limit: number },
): Promise<SearchAnswer> {
  const words = searchWords(input.query);
  if (words.length === 0) return { query: input.query, results: [] };
  const [issues, pullRequests, secrets, log] = await Promise.all([
    issuesWithWords(deps.db, words),
    foundPullRequests(deps, words),
    secretKeys(deps.db, { limit: SECRETS_SCANNED, offset: 0 }),
    foundLines(deps, words),
  ]);
  const results = [
    ...issues.map((issue) => foundIssue(issue, words)),
    ...pullRequests,
    ...labelsOf(issues, words),
    ...foundSettings(words),
    ...secrets.keys.map((key) => result('secret', words, { title: key, link: '/secrets' })),
    ...log,
  ];
  const ranked = results
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank)
    .slice(0, input.limit);
  return { query: input.query, results: ranked };
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

function labelsOf(issues: readonly FoundIssue[], words: Words): SearchResult[] {
  const labels = new Set(issues.flatMap((issue) => issue.labels));
  return [...labels].map((label) =>
    result('label', words, { title: label, link: `/board?q=${encodeURIComponent(label)}` }),
  );
}

async function foundPullRequests({ db, service }: Pick<Deps, 'db' | 'service'>, words: Words) {
  const rows = await pullRequestsWithWords(db, words);
  return rows.map((row) => {
    const own = `/pull-requests/${row.id}`;
    return result('pull_request', words, {
      title: `#${row.number} ${row.title}`,
      text: `${row.identifier} ${row.branch}\n${row.body}`,
      detail: `${row.identifier} · ${row.status}`,
      link:
        row.url === null || row.code_host === 'local'
          ? own
          : ownLink(service.publicOrigin, row.url),
    });
  });
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

async function foundLines({ db }: Pick<Deps, 'db'>, words: Words): Promise<SearchResult[]> {
  const lines = new Map<string, SearchResult>();
  const counts = new Map<string, number>();
  for (const chunk of await chunksWithWords(db, words)) {
    for (const [position, event] of chunk.items.entries()) {
      const line = logText(chunk.first_seq + position, event);
      const { identifier } = event.data;
      if (line === null || typeof identifier !== 'string' || chunk.attempt_id === null) continue;
      const rank = wordRank(words, '', line.text);
      if (rank === 0) continue;
      const count = counts.get(chunk.attempt_id) ?? 0;
      const search = new URLSearchParams({ attempt: chunk.attempt_id, line: line.key });
      const link = `/issues/${encodeURIComponent(identifier)}?${search.toString()}`;
      if (lines.has(link) || count >= LOG_LINES_PER_ATTEMPT) continue;
      counts.set(chunk.attempt_id, count + 1);
      const detail = excerptAround(words, line.text, EXCERPT_CHARS);
      lines.set(link, { kind: 'log', title: `Log of ${identifier}`, detail, link, rank });
    }
  }
  return [...lines.values()];
}
