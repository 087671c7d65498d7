import type { AutomationState } from '@switchyard/shared/api/automation';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'preact/hooks';
import { Badge } from '../../ui/marks/badge.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { Due } from '../../ui/marks/ago.tsx';
import { ListPage } from '../../ui/data/list-page.tsx';
import { EmptyState } from '../../ui/data/query-view.tsx';
import { showToast, showErrorToast } from '../../ui/overlays/toasts.tsx';
import { runUndoable } from '../../ui/overlays/run-undoable.ts';
import { configQuery } from '../config/queries.ts';
import { RowButtons } from '../config/rows/row-buttons.tsx';
import { type Row, rowsAt } from '../config/rows/row-fields.ts';
import { AutomationDialog } from './automation-dialog.tsx';
import { AUTOMATIONS_PATH } from './automation-fields.ts';
import { automationsQuery, runAutomation } from './queries.ts';
import { scheduleText } from './read-schedule.ts';
import { RunHistory } from './run-history.tsx';
import { Button } from '../../ui/button.tsx';
import { refresh } from '../../api/read-query.ts';
import './automations.css';

/**
 * Work that is started by a schedule: when it is due, how it ended, and a button to start it now.
 */
export function AutomationsPage() {
  const automations = useQuery(automationsQuery);
  const config = useQuery(configQuery).data;
  // The edited automation; null: none is edited; a `row` of null: a new one.
  const [edited, setEdited] = useState<{ row: Row | null } | null>(null);
  const rowOf = (name: string) =>
    rowsAt(config, AUTOMATIONS_PATH).find((row) => row['name'] === name);
  const add = () => setEdited({ row: null });
  return (
    <ListPage
      title="Automations"
      about="Scheduled work: implement an issue, write a report or sync the tracker."
      actions={
        <>
          <Link to="/config" search={{ section: 'automations' }} className="button">
            <Icon name="code" size={14} /> Edit as JSON
          </Link>
          <Button icon="plus" disabled={config === undefined} onClick={add}>
            New automation
          </Button>
          {edited !== null && config !== undefined && (
            <AutomationDialog {...{ ...edited, config }} onClose={() => setEdited(null)} />
          )}
        </>
      }
      query={automations}
      isEmpty={(list) => list.automations.length === 0}
      empty={
        <EmptyState icon="clock" title="No automations">
          <p>Example: every Monday, update outdated dependencies and open pull requests.</p>
          <Button primary disabled={config === undefined} onClick={add}>
            Add an automation
          </Button>
        </EmptyState>
      }
    >
      {(list) => (
        <>
          <ul class="rows panel automations">
            {list.automations.map((automation) => (
              <AutomationRow
                key={automation.name}
                automation={automation}
                row={rowOf(automation.name)}
                onEdit={(row) => setEdited({ row })}
              />
            ))}
          </ul>
          <RunHistory names={list.automations.map(({ name }) => name)} />
        </>
      )}
    </ListPage>
  );
}

function AutomationRow(props: {
  automation: AutomationState;
  /** The automation's entry in the configuration; undefined while that is not loaded. */
  row: Row | undefined;
  onEdit: (row: Row) => void;
}) {
  const { automation, row, onEdit } = props;
  const client = useQueryClient();
  const { name } = automation;
  const schedule = scheduleText(automation.schedule);
  const run = async () => {
    await runAutomation(name).then(() => showToast(`${name} started.`), showErrorToast);
    await Promise.all([
      client.invalidateQueries({ queryKey: automationsQuery.queryKey }),
      refresh(client, 'automation-runs'),
    ]);
  };
  const start = () =>
    runUndoable({
      about: [`automation ${name}`],
      text: () => `Starting automation ${name}`,
      run,
      leave: () => runAutomation(name),
    });
  return (
    <li>
      {automation.running ? (
        <Badge tone="info">Running</Badge>
      ) : automation.enabled ? (
        <Badge icon="clock">Scheduled</Badge>
      ) : (
        <Badge icon="pause">Disabled</Badge>
      )}
      <div class="grow wrap">
        <p>
          <strong>{automation.name}</strong> <span class="tag">{automation.mode}</span>
        </p>
        <p class="quiet">
          {schedule !== null && `${schedule}, ${automation.timeZone} · `}
          <span class="mono">{automation.schedule}</span>
          {schedule === null && ` (${automation.timeZone})`} · next{' '}
          {automation.nextRunAt === null ? 'never' : <Due at={automation.nextRunAt} />}
          {automation.lastRun !== null && ` · last ${automation.lastRun.status}`}
        </p>
      </div>
      <Button
        small
        disabled={automation.running}
        aria-label={`Run now: ${automation.name}`}
        onClick={start}
      >
        Run now
      </Button>
      {row !== undefined && (
        <RowButtons
          listPath={AUTOMATIONS_PATH}
          row={row}
          what="automation"
          removal="It no longer runs. Its runs so far stay in the list below, and work that it has started continues."
          stale={[automationsQuery.queryKey]}
          onEdit={() => onEdit(row)}
        />
      )}
    </li>
  );
}
