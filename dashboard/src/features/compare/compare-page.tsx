import type { Attempt } from '@switchyard/shared/api/work/attempt';
import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { attemptStatus } from '@switchyard/shared/reasons/attempt-status';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { issueQuery, runnersQuery, useReader } from '../../api/queries.ts';
import { Icon } from '../../ui/marks/icon.tsx';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState, QueryView } from '../../ui/data/query-view.tsx';
import { compareAttempts } from './compare-attempts.ts';
import { StepsCompared } from './steps-compared.tsx';
import './compare.css';
import { Select } from '../../ui/forms/select.tsx';

/** Two attempts of one issue side by side, with differences highlighted. */
export function ComparePage() {
  const { id } = useParams({ from: '/issues/$id/compare' });
  const issue = useQuery(issueQuery(id));
  return (
    <Page
      title={`Compare attempts of ${id}`}
      heading={
        <div class="issue-heading">
          <Link
            to="/issues/$id"
            params={{ id }}
            className="icon-button"
            aria-label={`Back to ${id}`}
          >
            <Icon name="back" />
          </Link>
          <span class="mono identifier">{id}</span>
          <h1 dir="auto">{issue.data === undefined ? 'Attempts' : issue.data.title}</h1>
        </div>
      }
    >
      <div class="column-page wide">
        <QueryView query={issue} skeletonLines={10}>
          {(detail) =>
            detail.attempts.length < 2 ? (
              <EmptyState icon="compare" title="Nothing to compare yet">
                <p>
                  {id} has {detail.attempts.length === 0 ? 'no attempt' : 'one attempt'}. A
                  comparison needs two.
                </p>
              </EmptyState>
            ) : (
              <Compared issue={detail} />
            )
          }
        </QueryView>
      </div>
    </Page>
  );
}

function Compared({ issue }: { issue: IssueDetail }) {
  const chosen = useSearch({ from: '/issues/$id/compare' });
  const navigate = useNavigate({ from: '/issues/$id/compare' });
  const runners = useQuery(runnersQuery).data?.runners ?? [];
  const reader = useReader();
  const find = (attemptId: string | undefined) =>
    issue.attempts.find((attempt) => attempt.attemptId === attemptId);
  const [newest, before] = issue.attempts;
  const left = find(chosen.left) ?? before;
  const right = find(chosen.right) ?? newest;
  if (left === undefined || right === undefined) return null;
  const choose = (side: 'left' | 'right', attemptId: string) =>
    void navigate({ search: (known) => ({ ...known, [side]: attemptId }), replace: true });
  return (
    <>
      <div class="data-table panel" tabIndex={0} role="region" aria-label="Differences">
        <table class="compare">
          <thead>
            <tr>
              <th scope="col">
                <span class="visually-hidden">What</span>
              </th>
              <th scope="col">
                <Choice
                  issue={issue}
                  label="Left"
                  attempt={left}
                  onChoose={(id) => choose('left', id)}
                />
              </th>
              <th scope="col">
                <Choice
                  issue={issue}
                  label="Right"
                  attempt={right}
                  onChoose={(id) => choose('right', id)}
                />
              </th>
            </tr>
          </thead>
          <tbody>
            {compareAttempts(left, right, { runners, issue, reader }).map((row) => (
              <tr key={row.name} class={row.differs ? 'differs' : ''}>
                <th scope="row">{row.name}</th>
                <td>{row.prose ? <Markdown text={row.left} /> : row.left}</td>
                <td>
                  {row.prose ? <Markdown text={row.right} /> : row.right}
                  {row.change !== null && <span class="compare-change"> {row.change}</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <StepsCompared left={left} right={right} />
    </>
  );
}

function Choice(props: {
  issue: IssueDetail;
  label: string;
  attempt: Attempt;
  onChoose: (attemptId: string) => void;
}) {
  return (
    <Select
      aria-label={`${props.label} attempt`}
      options={props.issue.attempts.map((attempt) => [
        attempt.attemptId,
        `Attempt ${attempt.number}, ${attemptStatus(attempt, props.issue).word}`,
      ])}
      value={props.attempt.attemptId}
      onChoose={props.onChoose}
    />
  );
}
