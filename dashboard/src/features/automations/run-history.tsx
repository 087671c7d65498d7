import type { AutomationRun } from '@switchyard/shared/api/automation';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'preact/hooks';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { IssueLink } from '../../ui/issue-link.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { Ago, Elapsed } from '../../ui/moment.tsx';
import { QueryView } from '../../ui/panel-states.tsx';
import { automationRunsQuery } from './queries.ts';

const TONES: Record<AutomationRun['status'], Tone> = {
  running: 'info',
  completed: 'good',
  failed: 'bad',
  skipped: 'quiet',
};
const TRIGGERS: Record<AutomationRun['trigger'], string> = {
  schedule: 'by schedule',
  missed: 'made up for',
  manual: 'by hand',
};

/** What became of the runs, newest first; a report opens in place. */
export function RunHistory({ names }: { names: string[] }) {
  const [name, setName] = useState('');
  const query = useInfiniteQuery(automationRunsQuery(name));
  const runs = query.data?.pages.flatMap((page) => page.runs) ?? [];
  return (
    <section class="run-history" aria-labelledby="runs-title">
      <header>
        <h2 id="runs-title">Runs</h2>
        <label>
          <span class="visually-hidden">Of which automation</span>
          <select
            class="field"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          >
            <option value="">All automations</option>
            {names.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
      </header>
      <QueryView query={query}>
        {() =>
          runs.length === 0 ? (
            <p class="quiet">None has run yet. Run one now to see what it does.</p>
          ) : (
            <ul class="rows panel">
              {runs.map((run) => (
                <RunRow key={run.runId} run={run} />
              ))}
            </ul>
          )
        }
      </QueryView>
      <LoadMore query={query} shown={runs.length} total={query.data?.pages[0]?.total ?? 0} />
    </section>
  );
}

function RunRow({ run }: { run: AutomationRun }) {
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
          {run.trigger === 'manual' && ` by ${run.actor}`} ·{' '}
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
