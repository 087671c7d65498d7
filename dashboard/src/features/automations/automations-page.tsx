import type { AutomationState } from '@switchyard/shared/api/automation';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge } from '../../ui/marks/badge.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { Due } from '../../ui/marks/ago.tsx';
import { ListPage } from '../../ui/data/list-page.tsx';
import { EmptyState } from '../../ui/data/query-view.tsx';
import { showToast, showErrorToast } from '../../ui/overlays/toast.tsx';
import { runUndoable } from '../../ui/overlays/run-undoable.ts';
import { automationsQuery, runAutomation } from './queries.ts';
import { RunHistory } from './run-history.tsx';
import { Button } from '../../ui/button.tsx';
import { refresh } from '../../api/read-query.ts';
import './automations.css';

/** Work that a clock starts: when it is due, how it went, and a way to start it now. */
export function AutomationsPage() {
  const automations = useQuery(automationsQuery);
  return (
    <ListPage
      title="Automations"
      about="Scheduled work: implement an issue, write a report or sync the tracker."
      actions={
        <Link to="/config" search={{ section: 'automations' }} className="button">
          <Icon name="sliders" size={14} /> Edit
        </Link>
      }
      query={automations}
      isEmpty={(list) => list.automations.length === 0}
      empty={
        <EmptyState icon="clock" title="No automations">
          <p>Example: every Monday, update outdated dependencies and open pull requests.</p>
          <Link to="/config" search={{ section: 'automations' }} className="button primary">
            Add an automation
          </Link>
        </EmptyState>
      }
    >
      {(list) => (
        <>
          <ul class="rows panel automations">
            {list.automations.map((automation) => (
              <AutomationRow key={automation.name} automation={automation} />
            ))}
          </ul>
          <RunHistory names={list.automations.map(({ name }) => name)} />
        </>
      )}
    </ListPage>
  );
}

function AutomationRow({ automation }: { automation: AutomationState }) {
  const client = useQueryClient();
  const { name } = automation;
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
      words: () => `Starting automation ${name}`,
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
          <span class="mono">{automation.schedule}</span> ({automation.timeZone}) · next{' '}
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
    </li>
  );
}
