import { shownRepository } from '@switchyard/shared/text/repository-url';
import type { SetupStepName } from '@switchyard/shared/api/admin/setup';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { errorText } from '../../api/api.ts';
import { Icon } from '../../ui/marks/icon.tsx';
import { Ago } from '../../ui/marks/ago.tsx';
import { gitContextQuery } from '../routes/queries.ts';
import { setupCheckQuery } from './queries.ts';
import { Button } from '../../ui/button.tsx';

/** These two need no look outside: the rest of the step tells everything. */
const TELLS_ITSELF: readonly SetupStepName[] = ['master_key', 'issue'];

/** What only one's own machines are asked for may be asked again until it is well. */
const OWN_MACHINES: readonly SetupStepName[] = ['repository', 'runner'];
const AGAIN_MS = 8_000;

/** The steps that show beside what is set what is wrong with it. */
const SHOWS_WARNINGS: readonly SetupStepName[] = ['repository', 'provider'];

/** What the last look at a step found, unless something has changed since; looks no more itself. */
export function useLastCheck(step: SetupStepName) {
  const query = setupCheckQuery(step);
  const isOver = useQueryClient().getQueryState(query.queryKey)?.isInvalidated ?? false;
  const { data } = useQuery({ ...query, enabled: false });
  return isOver ? undefined : data;
}

/** What the rows of the repositories say themselves, and so nobody needs to read twice. */
function useReportedByRows(step: SetupStepName) {
  const { data } = useQuery({ ...gitContextQuery, enabled: step === 'repository' });
  const rows = step === 'repository' ? (data?.routes ?? []) : [];
  return {
    messages: rows.flatMap(({ reason, hindrance }) => [reason, hindrance?.message]),
    isNews: (note: string) => !rows.some(({ url }) => note.startsWith(`${shownRepository(url)}: `)),
  };
}

/** What a look at the real thing finds, in the words of whoever was asked. */
export function LiveCheck({ step }: { step: SetupStepName }) {
  const client = useQueryClient();
  const query = setupCheckQuery(step);
  const check = useQuery({
    ...query,
    enabled: !TELLS_ITSELF.includes(step),
    refetchInterval: ({ state }) =>
      OWN_MACHINES.includes(step) && state.data?.ok === false ? AGAIN_MS : false,
  });
  if (TELLS_ITSELF.includes(step)) return null;
  const { error, isFetching } = check;
  // What was found before a change says nothing about what is there now.
  const isOver = isFetching && (client.getQueryState(query.queryKey)?.isInvalidated ?? false);
  const data = isOver ? undefined : check.data;
  const told = useReportedByRows(step);
  return (
    <div class="live-check" aria-busy={isFetching}>
      <div class="grow wrap" role="status">
        {error !== null && !isOver ? (
          <p class="problem">
            <Icon name="warning" size={14} /> {errorText(error)}
          </p>
        ) : data === undefined ? (
          <p class="note">
            <Icon name="running" size={14} /> Checking
          </p>
        ) : (
          <>
            <p class={data.ok ? 'note good' : 'problem'}>
              <Icon name={data.ok ? 'completed' : 'failed'} size={14} />
              <span dir="auto">
                {told.messages.includes(data.message) ? 'See above' : data.message}
              </span>
            </p>
            {!SHOWS_WARNINGS.includes(step) &&
              data.warnings?.map((warning) => (
                <p key={warning} class="note warning" dir="auto">
                  <Icon name="warning" size={14} /> <span>{warning}</span>
                </p>
              ))}
            {data.notes.filter(told.isNews).map((note) => (
              <p key={note} class="quiet" dir="auto">
                {note}
              </p>
            ))}
          </>
        )}
        {/* What was found stays in sight meanwhile: most looks find the same. */}
        {data !== undefined && (
          <p class="quiet" aria-live="off">
            {isFetching ? (
              'Checking'
            ) : (
              <>
                Checked <Ago at={data.checkedAt} />
              </>
            )}
          </p>
        )}
      </div>
      <Button
        icon="retry"
        small
        aria-disabled={isFetching}
        onClick={() => isFetching || void check.refetch()}
      >
        Check again
      </Button>
    </div>
  );
}
