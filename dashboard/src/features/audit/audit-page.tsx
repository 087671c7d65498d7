import { useInfiniteQuery } from '@tanstack/react-query';
import { formatDateTime } from '../../format/time.ts';
import { DataTable } from '../../ui/data/data-table.tsx';
import { ListPage } from '../../ui/data/list-page.tsx';
import { LoadMore } from '../../ui/data/load-more.tsx';
import { EmptyState } from '../../ui/data/query-view.tsx';
import { ChainCheck } from './chain-check.tsx';
import { type AuditEntry, auditQuery } from './queries.ts';
import './audit.css';

/**
 * The audit log: who changed what, newest first. Entries are only appended; a check of the seals
 * shows whether that is so.
 */
export function AuditPage() {
  const query = useInfiniteQuery(auditQuery);
  const entries = query.data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <ListPage
      title="Audit"
      about="Every change made by a person, an API token or the service. Entries form a hash chain and are kept indefinitely."
      query={query}
      isEmpty={() => entries.length === 0}
      empty={
        <EmptyState icon="audit" title="No audit entries">
          <p>Changes appear here as they are made.</p>
        </EmptyState>
      }
    >
      {() => (
        <>
          <ChainCheck />
          <div class="audit-entries">
            <DataTable
              label="Audit entries"
              rows={entries}
              rowKey={(entry) => entry.entry}
              columns={[
                { name: 'Time', cell: (entry) => <When at={entry.timestamp} /> },
                { name: 'Actor', cell: (entry) => <Who entry={entry} /> },
                { name: 'Action', cell: (entry) => <What entry={entry} /> },
                { name: 'Details', wide: true, cell: (entry) => <Details entry={entry} /> },
              ]}
            />
          </div>
          <LoadMore query={query} shown={entries.length} total={query.data?.pages[0]?.total ?? 0} />
        </>
      )}
    </ListPage>
  );
}

function When({ at }: { at: string }) {
  return (
    <time class="audit-time" dateTime={at}>
      {formatDateTime(Date.parse(at))}
    </time>
  );
}

function Who({ entry }: { entry: AuditEntry }) {
  return (
    <>
      <span class="wrap">{entry.actor}</span>{' '}
      {entry.source !== entry.actor && <span class="tag">{entry.source}</span>}
    </>
  );
}

function What({ entry }: { entry: AuditEntry }) {
  return (
    <>
      <span class="mono">{entry.operation}</span>
      {entry.subject !== null && <span class="quiet wrap"> {entry.subject}</span>}
    </>
  );
}

function Details({ entry }: { entry: AuditEntry }) {
  const facts = Object.entries(entry.details).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return (
    <span class="audit-details wrap quiet" title={entry.requestId ?? ''}>
      {facts.join(' · ')}
    </span>
  );
}
