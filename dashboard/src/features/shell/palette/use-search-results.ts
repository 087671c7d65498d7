import type { SearchKind, SearchResult } from '@switchyard/shared/api/admin/search';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { flushSync } from 'preact/compat';
import { useMemo } from 'preact/hooks';
import { answer, api, until } from '../../../api/api.ts';
import type { IconName } from '../../../ui/marks/icon.tsx';
import { retryImport } from '../../../ui/data/retry-import.ts';
import { useDebounced } from '../../../ui/forms/use-debounced.ts';
import type { RankedCommand } from './find-commands.ts';

/** Pause in typing after which the service is queried. */
const REST_MS = 150;
const WORDS_MIN_CHARS = 2;

const searchQuery = (text: string) =>
  queryOptions({
    queryKey: ['search', text],
    queryFn: ({ signal }) => answer(api.search.$get({ query: { q: text } }, until(signal))),
    enabled: text.length >= WORDS_MIN_CHARS,
    placeholderData: keepPreviousData,
    refetchInterval: false,
  });

/** The documentation is part of this page's code and is loaded with the first words. */
const docsQuery = (text: string) =>
  queryOptions({
    queryKey: ['docs-search', text],
    queryFn: async () => {
      const { findInDocs } = await retryImport(() => import('../../docs/find-in-docs.ts'));
      return findInDocs(text);
    },
    enabled: text.length >= WORDS_MIN_CHARS,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });

const LOOKS: Record<SearchKind, { icon: IconName; hint: string }> = {
  issue: { icon: 'dot', hint: 'issue' },
  pull_request: { icon: 'pull', hint: 'pull request' },
  label: { icon: 'board', hint: 'label' },
  setting: { icon: 'sliders', hint: 'setting' },
  secret: { icon: 'key', hint: 'secret' },
  log: { icon: 'command', hint: 'log' },
};

/** Results of the service and the documentation for these words. */
export function useSearchResults(
  typed: string,
  onClose: () => void,
): { results: RankedCommand[]; searching: boolean; error: unknown } {
  const router = useRouter();
  const text = useDebounced(typed.trim(), REST_MS);
  const search = useQuery(searchQuery(text));
  const docs = useQuery(docsQuery(text));
  const results = useMemo(() => {
    if (text.length < WORDS_MIN_CHARS) return [];
    const go = (link: string) => () => {
      flushSync(onClose);
      if (link.startsWith('/')) void router.navigate({ href: link });
      else window.open(link, '_blank', 'noopener');
    };
    const found = (search.data?.results ?? []).map((result) => fromService(result, go));
    const pages = (docs.data ?? []).map(({ title, detail, link, rank }) => ({
      id: `docs-${link}`,
      label: title,
      detail,
      rank,
      run: go(link),
      hint: 'documentation',
      icon: 'help' as const,
    }));
    return [...found, ...pages];
  }, [search.data, docs.data, text, router, onClose]);
  const searching =
    typed.trim().length >= WORDS_MIN_CHARS &&
    (text !== typed.trim() || search.isFetching || docs.isFetching);
  return { results, searching, error: search.error ?? docs.error };
}

function fromService(result: SearchResult, go: (link: string) => () => void): RankedCommand {
  const { kind, title, detail, link, rank } = result;
  const { icon, hint } = LOOKS[kind];
  const [identifier] = title.split(' ');
  // The same id as the page's own command for an issue, so that it is listed once.
  const id = kind === 'issue' ? `issue-${identifier}` : `${kind}-${link}-${title}`;
  return { id, label: title, hint, icon, rank, run: go(link), ...(detail !== null && { detail }) };
}
