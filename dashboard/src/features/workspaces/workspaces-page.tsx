import type { Workspace } from '@switchyard/shared/api/workspace';
import { formatBytes } from '@switchyard/shared/text/units/format-bytes';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { runnersQuery } from '../../api/queries.ts';
import { plural } from '../../format/format-count.ts';
import { Badge, type Tone } from '../../ui/marks/badge.tsx';
import { ConfirmButton } from '../../ui/overlays/confirm-button.tsx';
import { DataTable } from '../../ui/data/data-table.tsx';
import { Icon, type IconName } from '../../ui/marks/icon.tsx';
import { IssueLink } from '../../ui/marks/issue-link.tsx';
import { ListPage } from '../../ui/data/list-page.tsx';
import { LoadMore } from '../../ui/data/load-more.tsx';
import { Ago } from '../../ui/marks/ago.tsx';
import { EmptyState } from '../../ui/data/query-view.tsx';
import { showToast } from '../../ui/overlays/toasts.tsx';
import { removeWorkspace, workspacesQuery } from './queries.ts';
import '../../ui/data/meter.css';
import './workspaces.css';

/** The agents' working folders on the runners' hosts, with their size. */
export function WorkspacesPage() {
  const query = useInfiniteQuery(workspacesQuery);
  const [first] = query.data?.pages ?? [];
  const all = query.data?.pages.flatMap((page) => page.workspaces) ?? [];
  const largest = Math.max(1, ...all.map((workspace) => workspace.diskBytes));
  return (
    <ListPage
      title="Workspaces"
      about="Each issue has one folder on its runner, removed when the issue is closed in the tracker. Pushed branches stay."
      query={query}
      isEmpty={() => all.length === 0 && first?.unavailable.length === 0}
      empty={
        <EmptyState icon="disk" title="No workspaces">
          <p>A runner creates a workspace when it starts on an issue.</p>
        </EmptyState>
      }
    >
      {() => (
        <>
          {first?.unavailable.map(({ runnerId, reason }) => (
            <p key={runnerId} class="note warning">
              <Icon name="warning" size={14} />
              <span class="wrap">
                <RunnerName runnerId={runnerId} /> did not answer: {reason}
              </span>
            </p>
          ))}
          {first !== undefined && all.length > 0 && (
            <p class="quiet">
              {plural(first.total, 'workspace')}, {formatBytes(first.totalDiskBytes)} in total
            </p>
          )}
          {all.length > 0 && <WorkspaceTable workspaces={all} largest={largest} />}
          <LoadMore query={query} shown={all.length} total={first?.total ?? 0} />
        </>
      )}
    </ListPage>
  );
}

function WorkspaceTable({ workspaces, largest }: { workspaces: Workspace[]; largest: number }) {
  return (
    <DataTable
      label="Workspaces"
      rows={workspaces}
      rowKey={({ key, runnerId }) => `${runnerId}:${key}`}
      columns={[
        { name: 'Issue', cell: ({ issue }) => <IssueLink identifier={issue} /> },
        { name: 'State', cell: (workspace) => <State status={workspace.status} /> },
        {
          name: 'Disk',
          cell: (workspace) => <Disk workspace={workspace} largest={largest} />,
        },
        { name: 'Runner', wide: true, cell: ({ runnerId }) => <RunnerName runnerId={runnerId} /> },
        {
          name: 'Folder',
          wide: true,
          cell: ({ path }) => <span class="mono wrap quiet">{path}</span>,
        },
        { name: 'Modified', wide: true, cell: ({ lastModifiedAt }) => <Ago at={lastModifiedAt} /> },
        { name: 'Actions', cell: (workspace) => <Remove workspace={workspace} /> },
      ]}
    />
  );
}

const STATES: Record<Workspace['status'], { word: string; tone: Tone; icon?: IconName }> = {
  in_use: { word: 'In use', tone: 'info' },
  idle: { word: 'Idle', tone: 'quiet' },
  offline: { word: 'Runner offline', tone: 'warning', icon: 'offline' },
};

function State({ status }: { status: Workspace['status'] }) {
  const { word, tone, icon } = STATES[status];
  return (
    <Badge tone={tone} {...(icon === undefined ? {} : { icon })}>
      {word}
    </Badge>
  );
}

function Disk({ workspace, largest }: { workspace: Workspace; largest: number }) {
  return (
    <span class="disk">
      <meter min={0} max={largest} value={workspace.diskBytes} aria-hidden="true" />
      {diskText(workspace)}
    </span>
  );
}

/**
 * A folder's size as text: a lower bound while its count is incomplete, a dash without any count.
 */
function diskText({ diskComplete, diskBytes }: Workspace): string {
  if (diskComplete) return formatBytes(diskBytes);
  return diskBytes === 0 ? '–' : `over ${formatBytes(diskBytes)}`;
}

function RunnerName({ runnerId }: { runnerId: string }) {
  const runners = useQuery(runnersQuery).data?.runners;
  return <>{runners?.find((runner) => runner.runnerId === runnerId)?.name ?? runnerId}</>;
}

function Remove({ workspace }: { workspace: Workspace }) {
  const client = useQueryClient();
  if (workspace.status !== 'idle') return null;
  const remove = async () => {
    await removeWorkspace(workspace.key, workspace.runnerId);
    showToast(`${formatBytes(workspace.diskBytes)} freed.`);
    await client.invalidateQueries({ queryKey: workspacesQuery.queryKey });
  };
  return (
    <ConfirmButton
      label="Remove"
      about={workspace.issue}
      small
      question={`Remove the workspace of ${workspace.issue}?`}
      explanation={`Frees ${formatBytes(workspace.diskBytes)}. Pushed work stays; unpushed work is lost.`}
      confirmLabel="Remove workspace"
      danger
      action={remove}
    />
  );
}
