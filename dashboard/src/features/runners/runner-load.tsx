import type { Runner } from '@switchyard/shared/api/runner';
import { useQuery } from '@tanstack/react-query';
import { answer, api, at, until } from '../../api/api.ts';
import { IssueLink } from '../../ui/marks/issue-link.tsx';

type Load = Runner['load'][string];

/** The runner's attempts with the load of each, from its latest report. */
export function RunnerLoad({ runner }: { runner: Runner }) {
  if (runner.attempts.length === 0) return null;
  return (
    <ul class="runner-load" aria-label={`Work of ${runner.name}`}>
      {runner.attempts.map((attemptId) => (
        <Work key={attemptId} attemptId={attemptId} load={runner.load[attemptId]} />
      ))}
    </ul>
  );
}

function Work({ attemptId, load }: { attemptId: string; load: Load | undefined }) {
  const attempt = useQuery({
    queryKey: ['attempt-issue', attemptId],
    queryFn: ({ signal }) => {
      const param = { aid: at(attemptId) };
      return answer(api.attempts[':aid'].$get({ param, query: { limit: '1' } }, until(signal)));
    },
    // An attempt never changes its issue.
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });
  const { identifier, number } = attempt.data ?? {};
  return (
    <li>
      {identifier === undefined ? (
        <span class="mono quiet">{attemptId}</span>
      ) : (
        <>
          <IssueLink identifier={identifier} />
          <span class="quiet">attempt {number}</span>
        </>
      )}
      {load === undefined ? (
        <span class="quiet">no metrics yet</span>
      ) : (
        <>
          <Share name="CPU" percent={load.cpuPercent} />
          <Share name="Memory" percent={load.memoryPercent} />
        </>
      )}
    </li>
  );
}

function Share({ name, percent }: { name: string; percent: number }) {
  return (
    <span class="share">
      {name}
      <meter min={0} max={100} value={Math.min(100, percent)} aria-hidden="true" />
      {Math.round(percent)} %
    </span>
  );
}
