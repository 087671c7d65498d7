import { ControlPlaneMessage, RunnerMessage } from '@switchyard/shared/protocol/messages';
import { until } from '../e2e/until.ts';
import type { ChaosWorld, LinkedRunner } from './chaos-world.ts';
import type { FrameTrap } from './held-socket-pair.ts';
import { messagesOf } from './wire-record.ts';

const REACH_TIMEOUT_MS = 60_000;

/** A moment in the life of an attempt at which something is killed. */
export type KillPoint = {
  name: string;
  /** Waits for the moment; answers the runner that has the attempt, when one has. */
  reach(world: ChaosWorld, identifier: () => string): Promise<LinkedRunner | null>;
};

type Fits = (
  said: { up: RunnerMessage; down?: never } | { up?: never; down: ControlPlaneMessage },
) => boolean;

/** The first message that fits, on its way: it has not arrived when the kill comes. */
function onTheWire(name: string, fits: Fits): KillPoint {
  const trap: FrameTrap = (direction, text) =>
    messagesOf(text).some((raw) => {
      if (direction === 'up') {
        const { data } = RunnerMessage.safeParse(raw);
        return data !== undefined && fits({ up: data });
      }
      const { data } = ControlPlaneMessage.safeParse(raw);
      return data !== undefined && fits({ down: data });
    });
  return {
    name,
    async reach(world) {
      let reached: LinkedRunner | null = null;
      for (const one of world.runners) {
        void one.link.trapped(trap).then(() => {
          for (const other of world.runners) other.link.untrap();
          reached = one;
        });
      }
      const wait = { what: `the moment "${name}"`, timeoutMs: REACH_TIMEOUT_MS };
      await until(
        () => reached !== null,
        (done) => done,
        wait,
      ).finally(() => {
        for (const { link } of world.runners) link.untrap();
      });
      return reached;
    },
  };
}

/** The first event of this kind that fits. */
function event(
  name: string,
  kind: string,
  fits: (payload: Record<string, unknown>) => boolean,
): KillPoint {
  return onTheWire(name, ({ up }) => {
    if (up?.type !== 'events') return false;
    return up.items.some((item) => item.kind === kind && fits(item.payload));
  });
}

/** What the rows say, looked at through the API: the kill comes a few milliseconds later. */
function byTheApi(
  name: string,
  there: (world: ChaosWorld, identifier: string) => Promise<boolean>,
): KillPoint {
  return {
    name,
    async reach(world, identifier) {
      const wait = { what: `the moment "${name}"`, timeoutMs: REACH_TIMEOUT_MS };
      const look = async () => identifier() !== '' && (await there(world, identifier()));
      await until(look, (done) => done, wait);
      return null;
    },
  };
}

const any = () => true;

/** In the order of an attempt's life. */
export const killPoints: readonly KillPoint[] = [
  onTheWire('claimed', ({ down }) => down?.type === 'offer'),
  onTheWire('granted', ({ down }) => down?.type === 'granted'),
  event('workspace ready', 'workspace', any),
  event('thread started', 'thread', any),
  event(
    'mid-turn',
    'item',
    ({ state, item }) => state === 'ended' && JSON.stringify(item).includes('command'),
  ),
  onTheWire(
    'between commit and push',
    ({ up }) =>
      up?.type === 'call' &&
      up.method === 'push.permit' &&
      String(up.params['branch']).startsWith('switchyard/'),
  ),
  onTheWire('between push and finish', ({ up }) => up?.type === 'finish'),
  onTheWire('between finish and pull request', ({ down }) => down?.type === 'finished'),
  byTheApi('between pull request and comment', async ({ client }, identifier) => {
    const { pullRequestUrl } = await client.issue(identifier);
    return pullRequestUrl !== null;
  }),
];

/** An attempt failed and the next one has its time. */
export const retryWaiting: KillPoint = byTheApi('retry waiting', async ({ client }, identifier) => {
  const { status, nextRetryAt } = await client.issue(identifier);
  return status === 'retrying' && nextRetryAt !== null;
});
