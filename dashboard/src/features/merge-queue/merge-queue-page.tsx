import type { MergeQueueEntry } from '@switchyard/shared/api/pull-requests/merge-queue';
import { shownRepository } from '@switchyard/shared/text/repository-url';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId } from 'preact/hooks';
import { ListPage } from '../../ui/data/list-page.tsx';
import { EmptyState } from '../../ui/data/query-view.tsx';
import { IssueLink } from '../../ui/marks/issue-link.tsx';
import { groupEntries, groupSummary, type MergeGroup } from './group-entries.ts';
import { EntryButtons } from './entry-buttons.tsx';
import { MergeBadge, MergeFacts } from './merge-facts.tsx';
import { mergeQueueQuery } from './queries.ts';
import './merge-queue.css';

/** The pull requests that wait for their merge, by repository and base branch. */
export function MergeQueuePage() {
  return (
    <ListPage
      title="Merge queue"
      about="One pull request after the other is merged with the newest commit of its base branch and tested there. Only a merge whose checks pass is pushed."
      query={useQuery(mergeQueueQuery)}
      isEmpty={({ entries }) => entries.length === 0}
      empty={<NothingQueued />}
    >
      {({ entries }) =>
        groupEntries(entries).map((group) => (
          <Group key={JSON.stringify([group.repositoryUrl, group.base])} group={group} />
        ))
      }
    </ListPage>
  );
}

function NothingQueued() {
  return (
    <EmptyState icon="merge" title="No pull requests in the merge queue">
      <p>
        Set <b>Merge</b> of a repository that declares checks at{' '}
        <Link to="/repositories">Repositories</Link>: its pull requests then come here when a person
        queues them, or by themselves when their agent is done.
      </p>
    </EmptyState>
  );
}

function Group({ group: { repositoryUrl, base, entries } }: { group: MergeGroup }) {
  const title = useId();
  return (
    <section class="merge-group" aria-labelledby={title}>
      <header>
        <h2 id={title} class="wrap">
          {shownRepository(repositoryUrl)} <span class="quiet">→</span> {base}
        </h2>
        <p class="quiet" role="status">
          {groupSummary(entries)}
        </p>
      </header>
      <ol class="rows panel merge-rows" role="list">
        {entries.map((entry) => (
          <Row key={entry.pullRequestId} entry={entry} />
        ))}
      </ol>
    </section>
  );
}

function Row({ entry }: { entry: MergeQueueEntry }) {
  return (
    <li>
      <MergeBadge entry={entry} />
      <div class="grow">
        <Link
          to="/pull-requests/$id"
          params={{ id: entry.pullRequestId }}
          className="row-link"
          dir="auto"
        >
          #{entry.number} {entry.title}
        </Link>
        <MergeFacts entry={entry} />
      </div>
      <IssueLink identifier={entry.issueIdentifier} />
      <div class="row-acts">
        <EntryButtons entry={entry} />
      </div>
    </li>
  );
}
