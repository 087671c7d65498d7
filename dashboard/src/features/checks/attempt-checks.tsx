import type { AttemptCheck } from '@switchyard/shared/checks/attempt-check';
import { useQuery } from '@tanstack/react-query';
import { formatDuration } from '../../format/time.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { OptionalPanel } from '../../ui/panel/optional-panel.tsx';
import { Elapsed } from '../../ui/marks/ago.tsx';
import { Badge } from '../../ui/marks/badge.tsx';
import { TextBlock } from '../log/text/text-block.tsx';
import { hasDetails, CHECK_DISPLAY, runText, summaryOf } from './check-display.ts';
import { attemptChecksQuery } from './queries.ts';
import './attempt-checks.css';

/** The declared checks of an attempt and their results; nothing where none are declared. */
export function AttemptChecks({ attemptId }: { attemptId: string }) {
  return (
    <OptionalPanel
      title="Checks by Switchyard"
      query={useQuery(attemptChecksQuery(attemptId))}
      isEmpty={({ checks }) => checks.length === 0}
      summary={({ checks }) => summaryOf(checks)}
    >
      {({ checks }) => (
        <ul class="declared-results">
          {checks.map((check) => (
            <Check key={check.name} check={check} />
          ))}
        </ul>
      )}
    </OptionalPanel>
  );
}

function Check({ check }: { check: AttemptCheck }) {
  const { tone, word, icon } = CHECK_DISPLAY[check.state];
  const text = runText(check);
  return (
    <li>
      <p class="declared-line">
        <Badge tone={tone} {...(icon !== undefined && { icon })}>
          {word}
        </Badge>
        <strong>{check.name}</strong>
        <code dir="ltr" title={check.command}>
          {check.command}
        </code>
        <span class="quiet">
          {text}
          {text !== '' && check.startedAt !== null && ' · '}
          <Took check={check} />
        </span>
      </p>
      {hasDetails(check) && <Details check={check} />}
    </li>
  );
}

function Took({ check: { state, startedAt, durationMs } }: { check: AttemptCheck }) {
  if (state === 'running' && startedAt !== null) {
    return <Elapsed from={Date.parse(startedAt)} to={null} />;
  }
  return durationMs === null ? null : <>{formatDuration(durationMs)}</>;
}

function Details({ check }: { check: AttemptCheck }) {
  const { name, state, changedFiles, message } = check;
  const output = check.output ?? '';
  const what = output === '' ? 'Details' : 'Output';
  return (
    <details open={state === 'failed' || state === 'timed_out'}>
      <summary>
        {what}
        <span class="visually-hidden"> of {name}</span>
      </summary>
      <div class="declared-details">
        {message !== null && <p dir="auto">{message}</p>}
        {output !== '' && (
          <>
            <TextBlock text={output} />
            <CopyButton text={output} label="Copy output" />
          </>
        )}
        {changedFiles.length > 0 && (
          <>
            <p>It changed these files, which were put back:</p>
            <ul class="declared-files">
              {changedFiles.map((path) => (
                <li key={path}>
                  <code>{path}</code>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </details>
  );
}
