import { messageOf } from '@switchyard/shared/message-of';
import type { EgressEntry } from '../../egress/policy/egress-log.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import type { Companion } from '../companions/companion.ts';

const FIRST_POLLS_MS = 2_000;
const LATER_POLLS_MS = 30_000;
/** Events after which the interval becomes longer. */
const QUICK_EVENTS = 10;
const MAX_EVENTS = 300;

/**
 * Reports allowed and refused network requests as events: counted by host, only changes, first
 * every 2 s and later every 30 s, at most 300 events and one at the end.
 */
export function watchEgress(context: AttemptContext): Companion {
  const { deps, ref } = context;
  const reported = new Map<string, number>();
  let events = 0;
  let isFollowing = false;
  let cancel: () => void = () => undefined;
  let busy: Promise<void> = Promise.resolve();

  const reportChanges = async (): Promise<void> => {
    const report = await deps.proxy.report?.(ref);
    const changed = (report?.entries ?? []).filter(
      (entry) => reported.get(keyOf(entry)) !== weight(entry),
    );
    // The last report is sent even beyond the limit.
    if (changed.length === 0 || (events >= MAX_EVENTS && isFollowing)) return;
    for (const entry of changed) reported.set(keyOf(entry), weight(entry));
    events += 1;
    await recordChanges(context, changed);
  };
  const checkSafely = (): Promise<void> => {
    busy = busy.then(reportChanges).catch((error: unknown) => {
      deps.log.warn('the egress log was not read', { ...ref, error: messageOf(error) });
    });
    return busy;
  };
  const again = (): void => {
    const pauseMs = events < QUICK_EVENTS ? FIRST_POLLS_MS : LATER_POLLS_MS;
    cancel = deps.clock.after(pauseMs, () => {
      void checkSafely().then(() => {
        if (isFollowing) again();
      });
    });
  };
  return {
    name: 'the report of network requests',
    accessGranted() {
      isFollowing = true;
      if (deps.proxy.report !== undefined) again();
    },
    async engineEnded() {
      if (!isFollowing) return;
      isFollowing = false;
      cancel();
      await checkSafely();
    },
  };
}

async function recordChanges({ recorder }: AttemptContext, changed: EgressEntry[]): Promise<void> {
  const allowed = changed.filter(({ reason }) => reason === null);
  if (allowed.length > 0) {
    await recorder.event('egress_allowed', {
      hosts: allowed.map(({ host, port, requests, sentBytes, receivedBytes, secrets }) => ({
        host,
        port,
        requests,
        sentBytes,
        receivedBytes,
        ...(secrets === undefined ? {} : { secrets: [...secrets] }),
      })),
    });
  }
  const refused = changed.flatMap(({ host, port, requests, reason }) =>
    reason === null ? [] : [{ host, port, requests, reason }],
  );
  if (refused.length === 0) return;
  const named = refused.slice(0, 5).map(({ host, port, reason }) => `${host}:${port} (${reason})`);
  const more = refused.length > named.length ? `, and ${refused.length - named.length} more` : '';
  await recorder.event('egress_refused', {
    hosts: refused,
    message: `refused: ${named.join(', ')}${more}`,
  });
}

function keyOf({ host, port, reason, secrets = [] }: EgressEntry): string {
  return `${reason ?? ''} ${host} ${port} ${secrets.join()}`;
}

function weight({ requests, sentBytes, receivedBytes }: EgressEntry): number {
  return requests + sentBytes + receivedBytes;
}
