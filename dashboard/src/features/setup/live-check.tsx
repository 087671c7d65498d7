import { shownRepository } from '@switchyard/shared/text/repository-url';
import type { SetupStepName } from '@switchyard/shared/api/admin/setup';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { errorText } from '../../api/api.ts';
import { Icon } from '../../ui/marks/icon.tsx';
import { Ago } from '../../ui/marks/ago.tsx';
import { gitContextQuery } from '../routes/queries.ts';
import { setupCheckQuery } from './queries.ts';
import { Button } from '../../ui/button.tsx';

/** Steps without a probe of something external: the rest of the step shows everything. */
const TELLS_ITSELF: readonly SetupStepName[] = ['master_key', 'issue'];

/**
 * Steps whose check reaches only the user's own machines, so that it can be repeated until it
 * succeeds.
 */
const OWN_MACHINES: readonly SetupStepName[] = ['repository', 'runner'];
const AGAIN_MS = 8_000;

/** Steps that show warnings about their settings. */
const SHOWS_WARNINGS: readonly SetupStepName[] = ['repository', 'provider'];

/** The latest result of a step's check, unless something has changed since; starts no check. */
export function useLastCheck(step: SetupStepName) {
  const query = setupCheckQuery(step);
  const isOver = useQueryClient().getQueryState(query.queryKey)?.isInvalidated ?? false;
  const { data } = useQuery({ ...query, enabled: false });
  return isOver ? undefined : data;
}

/** The messages that the repositories' rows already show, so that they are not repeated. */
function useReportedByRows(step: SetupStepName) {
  const { data } = useQuery({ ...gitContextQuery, enabled: step === 'repository' });
  const rows = step === 'repository' ? (data?.routes ?? []) : [];
  return {
    messages: rows.flatMap(({ reason, hindrance }) => [reason, hindrance?.message]),
    isNews: (note: string) => !rows.some(({ url }) => note.startsWith(`${shownRepository(url)}: `)),
  };
}

/** The result of a step's check, in the upstream's own words. */
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
  // A result from before a change is outdated.
  const isOver = isFetching && (client.getQueryState(query.queryKey)?.isInvalidated ?? false);
  const data = isOver ? undefined : check.data;
  const reported = useReportedByRows(step);
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
                {reported.messages.includes(data.message) ? 'See above' : data.message}
              </span>
            </p>
            {!SHOWS_WARNINGS.includes(step) &&
              data.warnings?.map((warning) => (
                <p key={warning} class="note warning" dir="auto">
                  <Icon name="warning" size={14} /> <span>{warning}</span>
                </p>
              ))}
            {data.notes.filter(reported.isNews).map((note) => (
              <p key={note} class="quiet" dir="auto">
                {note}
              </p>
            ))}
          </>
        )}
        {/* The former result stays visible meanwhile, since most checks find the same. */}
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
