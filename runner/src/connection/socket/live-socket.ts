import { RENEW_MS } from '@switchyard/shared/protocol/limits';
import type { Channel } from './channel.ts';
import { FinishSender } from './finish-sender.ts';
import { Outbound } from './outbound.ts';
import type { SessionDeps } from '../session-deps.ts';
import type { StreamFlow } from './stream-flow.ts';

/** State of one open socket. */
export type LiveSocket = {
  out: Outbound;
  /** Null until the welcome. */
  flow: StreamFlow | null;
  renewMs: number;
  /** The control plane accepts live text, so people may be watching. */
  showsText: boolean;
  /** The control plane accepts the end of a lost lease. */
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
