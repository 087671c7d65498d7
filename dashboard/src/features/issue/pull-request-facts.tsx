import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import type { CheckedCommit, PullRequestCheck } from '@switchyard/shared/api/work/pull-request';
import { useQuery } from '@tanstack/react-query';
import { issuePullRequestQuery } from '../../api/queries.ts';
import { formatDuration } from '../../format/time.ts';
import { Badge, type Tone } from '../../ui/marks/badge.tsx';
import { DiffCount } from '../../ui/diff/diff-count.tsx';
import { isWebAddress } from '../../ui/is-web-address.ts';
import { PullRequestLink } from '../../ui/marks/pull-request-link.tsx';
import { PullRequestMark } from '../../ui/marks/pull-request-mark.tsx';
import './pull-request-facts.css';

/** The work at its code host: the pull request and the results of its checks. */
export function PullRequestFacts({ issue }: { issue: IssueDetail }) {
  const has = issue.pullRequestUrl !== null;
  const { data } = useQuery({ ...issuePullRequestQuery(issue.identifier), enabled: has });
  if (data === undefined) {
    return issue.pullRequestUrl === null ? null : (
      <section class="side-section">
        <h2>Pull request</h2>
        <p>
          <PullRequestLink url={issue.pullRequestUrl} label="Open pull request" />
        </p>
      </section>
    );
  }
  const { pullRequest, checked } = data;
  return (
    <section class="side-section" aria-label="Pull request">
      <h2>Pull request</h2>
      <p class="pr-line">
        <PullRequestLink url={pullRequest.url} label={`#${pullRequest.number}`} />
        <PullRequestMark pullRequest={pullRequest} />
        <DiffCount
          additions={pullRequest.diffStat.insertions}
          deletions={pullRequest.diffStat.deletions}
        />
      </p>
      {checked !== null && <Checks checked={checked} />}
      {checked?.unseen !== undefined && (
        <p class="quiet">The code host token has no access to {checked.unseen.join(', ')}.</p>
      )}
    </section>
  );
}

function Checks({ checked }: { checked: CheckedCommit }) {
  if (checked.checks.length === 0) {
    if (checked.unseen !== undefined) return null;
    return <p class="quiet">No checks on {checked.headSha.slice(0, 9)}.</p>;
  }
  return (
    <>
      <h3>Checks by the code host</h3>
      <ul class="pr-checks" aria-label={`Checks of ${checked.headSha.slice(0, 9)}`}>
        {checked.checks.map((check, position) => (
          <li key={position}>
            <Badge tone={LOOKS[check.state].tone}>{LOOKS[check.state].word}</Badge>
            <CheckName check={check} />
            <span class="quiet">{tookText(check)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

const LOOKS: Record<PullRequestCheck['state'], { tone: Tone; word: string }> = {
  pending: { tone: 'info', word: 'Running' },
  passed: { tone: 'good', word: 'Passed' },
  failed: { tone: 'bad', word: 'Failed' },
  skipped: { tone: 'quiet', word: 'Skipped' },
};

function CheckName({ check }: { check: PullRequestCheck }) {
  if (check.url === null || !isWebAddress(check.url)) {
    return <span class="pr-check-name">{check.name}</span>;
  }
  return (
    <a class="pr-check-name" href={check.url} target="_blank" rel="noreferrer noopener">
      {check.name}
    </a>
  );
}

function tookText({ startedAt, endedAt }: PullRequestCheck): string {
  if (startedAt === null || endedAt === null) return '';
  const tookMs = Date.parse(endedAt) - Date.parse(startedAt);
  return tookMs > 0 ? formatDuration(tookMs) : '';
}
