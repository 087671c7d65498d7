import type { Issue } from '@switchyard/shared/api/work/issue';
import type { IssueGroup } from '@switchyard/shared/api/work/issue-list';
import { isInGroup } from '@switchyard/shared/reasons/needs-of';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'preact/hooks';
import { issueListQuery, useNeedingPerson } from '../../api/issue-lists.ts';
import { localIssuesQuery, stateQuery } from '../../api/queries.ts';
import { LoadMore } from '../../ui/data/load-more.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState, LoadError, Skeleton } from '../../ui/data/query-view.tsx';
import { usePendingActions } from '../../ui/overlays/run-undoable.ts';
import { boardColumns, matches } from './board-columns.ts';
import { Columns } from './columns.tsx';
import { DensityButton, readDensity } from './density-button.tsx';
import { keyOf, mergeIssues, withPending } from './merge-issues.ts';
import { FilterBar } from './filter-bar.tsx';
import { groupOf, Needs } from './needs.tsx';
import { NewIssue } from './new-issue.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { useBoardKeys } from './use-board-keys.tsx';
import { Button } from '../../ui/button.tsx';
import './board.css';

/** All issues by their state in the tracker. The filter is part of the address. */
export function BoardPage() {
  const state = useQuery(stateQuery);
  const local = useQuery(localIssuesQuery);
  const needing = useNeedingPerson();
  const { need: needed, q: query = '', new: wanted } = useSearch({ from: '/board' });
  const need = groupOf(needed);
  // With a group, all its issues are shown, even where the lists of the complete board are
  // truncated.
  const group = useInfiniteQuery({ ...issueListQuery(need ?? 'person'), enabled: need !== null });
  const setFilter = useFilter();
  const [asked, setCreating] = useState(false);
  // The address can open the form too, also while the board is open.
  const creating = asked || wanted !== undefined;
  const [density, setDensity] = useState(readDensity);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const search = useRef<HTMLInputElement>(null);

  const endCreating = () => {
    setCreating(false);
    if (wanted !== undefined) setFilter({ new: '' });
  };
  const needs = useMemo(
    () => new Map(needing.issues.map((issue) => [issue.identifier, issue])),
    [needing.issues],
  );
  const listed = useMemo(
    () => group.data?.pages.flatMap((page) => page.issues) ?? [],
    [group.data],
  );
  const pending = usePendingActions();
  const issues = useMemo(
    () =>
      withPending(
        mergeIssues(local.data?.issues ?? [], state.data, [...needing.issues, ...listed]),
        pending,
      ),
    [local.data, state.data, needing.issues, listed, pending],
  );
  const dialog = useBoardKeys({
    issues,
    selected,
    setSelected,
    search,
    onNew: () => setCreating(true),
  });
  // The chips count the issues that match the search terms, so that each shows as many as its
  // number says.
  const matching = issues.filter((issue) => matches(issue, query.trim()));
  const inGroup = new Set(listed.map(keyOf));
  const shown = need === null ? matching : matching.filter((issue) => inGroup.has(keyOf(issue)));
  // Each list may fail alone: then a part of the issues is missing.
  const failed =
    (state.data === undefined ? state.error : null) ??
    (local.data === undefined ? local.error : null) ??
    (need !== null && group.data === undefined ? group.error : null);
  const loaded = state.data !== undefined || local.data !== undefined;
  const known = state.data !== undefined && local.data !== undefined;
  const countOf = (of: IssueGroup) => {
    const total = needing.counts?.[of];
    if (!known || total === undefined) return null;
    if (query.trim() === '') return total;
    const isOf = membersOf(of, needs);
    // The search covers loaded issues only: where some are not loaded, the number of matches is
    // unknown.
    return issues.filter(isOf).length < total ? null : matching.filter(isOf).length;
  };
  const retry = () => void Promise.all([state.refetch(), local.refetch(), needing.query.refetch()]);

  return (
    <Page
      title="Board"
      fixed
      actions={
        <>
          <label class="search">
            <Icon name="search" size={14} />
            <input
              ref={search}
              type="search"
              placeholder="Filter"
              aria-label="Filter issues"
              aria-keyshortcuts="f"
              value={query}
              onInput={(event) => setFilter({ q: event.currentTarget.value })}
              onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
            />
            <kbd>f</kbd>
          </label>
          <DensityButton density={density} onChange={setDensity} />
          <Button icon="plus" primary aria-keyshortcuts="n" onClick={() => setCreating(true)}>
            New issue
          </Button>
        </>
      }
    >
      {creating && <NewIssue onClose={endCreating} />}
      {dialog}
      {loaded && (
        <div class="board-filters">
          <Needs
            need={need}
            shown={shown}
            countOf={countOf}
            onChange={(next) => setFilter({ need: next ?? '' })}
          />
          <FilterBar
            filter={{ ...(query !== '' && { q: query }), ...(need !== null && { need }) }}
            shown={shown.length}
            selected={shown.filter((issue) => selected.has(issue.identifier)).length}
            onSelectAll={() =>
              setSelected(new Set([...selected, ...shown.map((issue) => issue.identifier)]))
            }
            onClear={() => setFilter({ q: '', need: '' })}
          />
        </div>
      )}
      {!loaded && failed === null && <BoardSkeleton />}
      {failed !== null && <LoadError error={failed} onRetry={retry} />}
      {loaded && failed === null && issues.length === 0 && (
        <EmptyState icon="board" title="No issues yet">
          <p>Create the first issue. An agent starts on it when a runner has a free slot.</p>
          <Button icon="plus" primary onClick={() => setCreating(true)}>
            New issue
          </Button>
        </EmptyState>
      )}
      {issues.length > 0 && shown.length === 0 && (need === null || group.isSuccess) && (
        <p class="no-match" role="status">
          No issues match this filter.
        </p>
      )}
      {issues.length > 0 && (
        <Columns
          columns={boardColumns(shown, new Set(needs.keys()))}
          needing={needs}
          selected={selected}
          density={density}
          paused={state.data?.paused ?? null}
          // Data that arrives after the filter was set counts as a change of the filter.
          filter={JSON.stringify([need, query, needing.query.isSuccess, group.isSuccess])}
        />
      )}
      {need !== null && group.hasNextPage && (
        <LoadMore query={group} shown={listed.length} total={group.data?.pages[0]?.total ?? 0} />
      )}
      <SelectionBar issues={issues} shown={shown} selected={selected} onChange={setSelected} />
    </Page>
  );
}

/** Whether an issue belongs to a group, as far as the loaded data shows. */
function membersOf(group: IssueGroup, needs: ReadonlyMap<string, unknown>) {
  return (issue: Issue) =>
    group === 'person'
      ? needs.has(issue.identifier)
      : isInGroup(group, { status: issue.status, isOutOfSight: issue.outOfSight });
}

function useFilter(): (change: { q?: string; need?: IssueGroup | ''; new?: '' }) => void {
  const navigate = useNavigate({ from: '/board' });
  return (change) =>
    void navigate({
      search: (current) =>
        Object.fromEntries(
          Object.entries({ ...current, ...change }).filter(([, value]) => value !== ''),
        ),
      replace: true,
    });
}

function BoardSkeleton() {
  return (
    <div class="columns">
      {[3, 2, 4].map((lines, position) => (
        <section key={position} class="column">
          <Skeleton lines={lines} label="Loading the board" />
        </section>
      ))}
    </div>
  );
}
