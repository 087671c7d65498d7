import { RENEW_MS } from '@switchyard/shared/protocol/limits';
import type { Channel } from './channel.ts';
import { FinishSender } from './finish-sender.ts';
import { Outbound } from './outbound.ts';
import type { SessionDeps } from '../session-deps.ts';
import type { StreamFlow } from './stream-flow.ts';

/** What is known of one open socket; it goes with it. */
export type LiveSocket = {
  out: Outbound;
  /** Null until the welcome. */
  flow: StreamFlow | null;
  renewMs: number;
  /** Somebody may be watching: the control plane takes text as it comes. */
  showsText: boolean;
  /** The control plane takes the end of a lease that was lost. */
  takesLateEnds: boolean;
  finishes: FinishSender;
  cancelRenew: () => void;
};

export function openLiveSocket(channel: Channel, deps: SessionDeps): LiveSocket {
  const out = new Outbound(channel, deps.clock);
  const live: LiveSocket = {
    out,
    flow: null,
    renewMs: RENEW_MS,
    showsText: false,
    takesLateEnds: false,
    finishes: new FinishSender(deps),
    cancelRenew: () => undefined,
  };
  out.afterData = () => {
    if (live.flow !== null) live.finishes.send(out, live.flow, live);
  };
  return live;
}
