import type {
  AttemptEvidence as Evidence,
  EvidenceQuestion,
} from '@switchyard/shared/api/attempt-evidence';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ComponentChildren } from 'preact';
import { issueQuery, useReader } from '../../api/queries.ts';
import { formatCount, plural } from '../../format/format-count.ts';
import { showUnseen } from '../../format/show-unseen.ts';
import { OptionalPanel } from '../../ui/panel/optional-panel.tsx';
import { Ago } from '../../ui/marks/ago.tsx';
import { Badge } from '../../ui/marks/badge.tsx';
import { AtLeastNote, Cost } from '../../ui/marks/cost.tsx';
import { AttemptMark } from '../../ui/marks/status-mark.tsx';
import { answeredText, earlierText, hasFiles, isEmptyEvidence } from './evidence-labels.ts';
import { FileList } from './file-list.tsx';
import { attemptEvidenceQuery } from './queries.ts';
import './attempt-evidence.css';

type AttemptEvidenceProps = { attemptId: string; issueIdentifier: string };

/** Evidence of an attempt's work, for its reviewers; nothing where there is none. */
export function AttemptEvidence({ attemptId, issueIdentifier }: AttemptEvidenceProps) {
  return (
    <OptionalPanel
      title="Evidence"
      query={useQuery(attemptEvidenceQuery(attemptId))}
      isEmpty={isEmptyEvidence}
    >
      {(evidence: Evidence) => (
        <dl class="evidence">
          <Scope evidence={evidence} />
          <Attempts evidence={evidence} issueIdentifier={issueIdentifier} />
          <Usage evidence={evidence} />
          <Questions evidence={evidence} />
          {hasFiles(evidence) && (
            <Part name="Files">
              <FileList evidence={evidence} />
            </Part>
          )}
        </dl>
      )}
    </OptionalPanel>
  );
}

function Part({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Scope({ evidence: { outsideScope } }: { evidence: Evidence }) {
  if (outsideScope === null) return null;
  const { files, paths } = outsideScope;
  if (files === 0) {
    return (
      <Part name="Scope">
        <Badge tone="good">All changed files are within the declared scope</Badge>
      </Part>
    );
  }
  return (
    <Part name="Scope">
      <details>
        <summary>
          <Badge tone="warning">{plural(files, 'changed file')} outside the declared scope</Badge>
        </summary>
        <ul class="evidence-paths">
          {paths.map((path, position) => (
            <li key={position}>
              <code dir="ltr">{showUnseen(path)}</code>
            </li>
          ))}
        </ul>
        {files > paths.length && (
          <p class="quiet">and {plural(files - paths.length, 'more file')}</p>
        )}
      </details>
    </Part>
  );
}

function Attempts(props: { evidence: Evidence; issueIdentifier: string }) {
  const { issueIdentifier } = props;
  const { attempts, attemptCount } = props.evidence;
  const { data: issue } = useQuery(issueQuery(issueIdentifier));
  const earlier = earlierText(attemptCount, attempts.length, 'attempt');
  return (
    <Part name="Attempts">
      <ul class="evidence-attempts">
        {earlier !== null && <li class="quiet">{earlier}</li>}
        {attempts.map((attempt) => (
          <li key={attempt.attemptId}>
            <Link
              to="/issues/$id"
              params={{ id: issueIdentifier }}
              search={{ attempt: attempt.attemptId }}
            >
              <span class="mono">
                <span class="visually-hidden">Attempt </span>#{attempt.number}
              </span>
              <AttemptMark
                // The issue has more details about the attempt's end.
                attempt={
                  issue?.attempts.find(({ attemptId }) => attemptId === attempt.attemptId) ?? {
                    ...attempt,
                    reasonCode: null,
                  }
                }
                {...(issue !== undefined && { issue })}
              />
            </Link>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Usage({ evidence: { usage } }: { evidence: Evidence }) {
  if (usage.tokens === 0) return null;
  return (
    <Part name="Usage">
      <p>
        <span title={`${usage.tokens} tokens`}>{formatCount(usage.tokens)} tokens</span> ·{' '}
        <Cost of={usage} />
      </p>
      <AtLeastNote of={[usage]} />
    </Part>
  );
}

/** More questions than this start collapsed: people come for the change itself. */
const OPEN_QUESTIONS_MAX = 3;

function Questions({ evidence: { questions, questionCount } }: { evidence: Evidence }) {
  if (questionCount === 0) return null;
  const earlier = earlierText(questionCount, questions.length, 'question');
  return (
    <Part name="Questions">
      <details open={questions.length <= OPEN_QUESTIONS_MAX}>
        <summary>{plural(questionCount, 'question')} from the agent</summary>
        {earlier !== null && <p class="quiet">{earlier}</p>}
        <ul class="evidence-questions">
          {questions.map((asked, position) => (
            <Question key={position} asked={asked} />
          ))}
        </ul>
      </details>
    </Part>
  );
}

function Question({ asked }: { asked: EvidenceQuestion }) {
  const reader = useReader();
  return (
    <li>
      <p dir="auto">{asked.question}</p>
      {asked.answer !== null && (
        <p dir="auto">
          <strong>{asked.answer}</strong>
        </p>
      )}
      <p class="quiet">
        {answeredText(asked, reader)} · asked <Ago at={asked.askedAt} />
      </p>
    </li>
  );
}
