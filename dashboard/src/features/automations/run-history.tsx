import type { AutomationRun } from '@switchyard/shared/api/automation';
import { actorText } from '@switchyard/shared/reasons/act-of-person';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'preact/hooks';
import { useReader } from '../../api/queries.ts';
import { Badge, type Tone } from '../../ui/marks/badge.tsx';
import { HistoryPanel } from '../../ui/data/history-panel.tsx';
import { IssueLink } from '../../ui/marks/issue-link.tsx';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { Ago, Elapsed } from '../../ui/marks/ago.tsx';
import { automationRunsQuery } from './queries.ts';

const TONES: Record<AutomationRun['status'], Tone> = {
  running: 'info',
  completed: 'good',
  failed: 'bad',
  skipped: 'quiet',
};
const TRIGGERS: Record<AutomationRun['trigger'], string> = {
  schedule: 'scheduled',
  missed: 'missed run',
  manual: 'manual',
};

/** Results of the automations' runs, newest first; a report opens in place. */
export function RunHistory({ names }: { names: string[] }) {
  const [name, setName] = useState('');
  const query = useInfiniteQuery(automationRunsQuery(name));
  const runs = query.data?.pages.flatMap((page) => page.runs) ?? [];
  return (
    <HistoryPanel
      id="runs"
      title="Runs"
      choiceLabel="Filter by automation"
      all="All automations"
      names={names}
      name={name}
      onName={setName}
      query={query}
      rows={runs}
      total={query.data?.pages[0]?.total ?? 0}
      empty="No runs yet. Run an automation now to test it."
    >
      {(run) => <RunRow key={run.runId} run={run} />}
    </HistoryPanel>
  );
}

function RunRow({ run }: { run: AutomationRun }) {
  const reader = useReader();
  const endMs = run.endedAt === null ? null : Date.parse(run.endedAt);
  return (
    <li>
      <Badge tone={TONES[run.status]}>{run.status}</Badge>
      <div class="grow wrap">
        <p>
          <strong>{run.automationName}</strong>{' '}
          {run.identifier !== null && <IssueLink identifier={run.identifier} />}
        </p>
        <p class="quiet">
          <Ago at={run.startedAt} /> {TRIGGERS[run.trigger]}
          {run.trigger === 'manual' && ` by ${actorText(run.actor, reader)}`} ·{' '}
          <Elapsed from={Date.parse(run.startedAt)} to={endMs} />
        </p>
        {run.message !== null && <p>{run.message}</p>}
        {run.report !== null && (
          <details>
            <summary>Report</summary>
            <Markdown text={run.report} />
          </details>
        )}
      </div>
    </li>
  );
}
