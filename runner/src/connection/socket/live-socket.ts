import { LATE_FINISH_FEATURE, LIVE_TEXT_FEATURE } from '@switchyard/shared/protocol/features';
import { RENEW_MS } from '@switchyard/shared/protocol/limits';
import type { ControlPlaneMessageOf } from '@switchyard/shared/protocol/messages';
import type { AttemptPort } from '../attempt-port.ts';
import type { Clock } from '../clock.ts';
import type { Spool } from '../journal/spool.ts';
import type { Channel } from './channel.ts';
import { FinishSender } from './finish-sender.ts';
import { Outbound } from './outbound.ts';
import { StreamFlow } from './stream-flow.ts';

/** State of one open socket. */
export class LiveSocket {
  readonly out: Outbound;
  readonly finishes: FinishSender;
  /** Null until the welcome. */
  flow: StreamFlow | null = null;
  renewMs = RENEW_MS;
  /** The control plane accepts live text, so people may be watching. */
  showsText = false;
  /** The control plane accepts the end of a lost lease. */
  takesLateEnds = false;
  readonly #spool: Spool;
  readonly #clock: Clock;
  readonly #stopListening: () => void;
  #isClosed = false;

  constructor(channel: Channel, deps: { attempts: AttemptPort; clock: Clock; spool: Spool }) {
    this.#spool = deps.spool;
    this.#clock = deps.clock;
    this.out = new Outbound(channel, deps.clock);
    this.finishes = new FinishSender(deps);
    this.#stopListening = deps.spool.onAppend(() => this.out.appended());
    this.out.afterData = () => {
      if (this.flow !== null) this.finishes.send(this.out, this.flow, this);
    };
  }

  /** Adopts what the control plane grants and supports. Events are sent from `startData` on. */
  welcomed({ window, renewMs, features = [] }: ControlPlaneMessageOf<'welcome'>): StreamFlow {
    this.renewMs = renewMs;
    this.showsText = features.includes(LIVE_TEXT_FEATURE);
    this.takesLateEnds = features.includes(LATE_FINISH_FEATURE);
    this.flow = new StreamFlow(this.#spool, window);
    return this.flow;
  }

  /** Runs `work` after a delay, unless the socket is closed by then. */
  after(delayMs: number, work: () => void): void {
    this.#clock.after(delayMs, () => {
      if (!this.#isClosed) work();
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#stopListening();
    this.out.close();
  }
}
