import { costText } from '@switchyard/shared/usage/cost-text';
import type { IssueDetail } from '@switchyard/shared/api/work/issue';
import { Cost } from '../../ui/marks/cost.tsx';
import { formatCount } from '../../format/format-count.ts';
import { Ago } from '../../ui/marks/ago.tsx';
import { Fact } from '../../ui/data/fact.tsx';
import { IssueLink } from '../../ui/marks/issue-link.tsx';

/** The remaining facts, in one muted list. */
export function IssueFacts({ issue }: { issue: IssueDetail }) {
  // The sum of the attempts, since the issue's own record may lag behind.
  const spent = issue.attempts.reduce((sum, attempt) => sum + attempt.tokens.total, 0);
  const branch = issue.attempts[0]?.branch ?? issue.branchName;
  return (
    <section class="side-section">
      <h2>Details</h2>
      <dl class="facts">
        {issue.labels.length > 0 && (
          <Fact name="Labels">
            {issue.labels.map((label) => (
              <span key={label} class="tag">
                {label}
              </span>
            ))}
          </Fact>
        )}
        {issue.blockedBy.length > 0 && (
          <Fact name="Blocked by">
            {issue.blockedBy.map((blocker) => (
              <span key={blocker.id}>
                <IssueLink identifier={blocker.identifier} />{' '}
                {blocker.state !== null && <span class="quiet">{blocker.state}</span>}
              </span>
            ))}
          </Fact>
        )}
        {branch !== null && (
          <Fact name="Branch">
            <span class="mono wrap">{branch}</span>
          </Fact>
        )}
        {issue.engine !== null && (
          <Fact name="Engine">
            <span class="mono wrap">{issue.engine}</span>
          </Fact>
        )}
        <Fact name={issue.attempts.length > 1 ? 'Tokens, all attempts' : 'Tokens'}>
          {formatCount(Math.max(issue.tokens.total, spent))}
        </Fact>
        {costText(issue) !== null && (
          <Fact name="Cost">
            <Cost of={issue} />
          </Fact>
        )}
        <Fact name="Tracker">
          {issue.tracker !== 'local' && issue.url !== null && /^https?:/.test(issue.url) ? (
            <TrackerLink url={issue.url} name={issue.tracker} />
          ) : (
            issue.tracker
          )}
        </Fact>
        <Fact name="Created">
          <Ago at={issue.createdAt} />
        </Fact>
        <Fact name="Updated">
          <Ago at={issue.updatedAt} />
        </Fact>
      </dl>
    </section>
  );
}

function TrackerLink({ url, name }: { url: string; name: string }) {
  return (
    <a href={url} target="_blank" rel="noreferrer noopener">
      {name}
    </a>
  );
}
