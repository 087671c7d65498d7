import type { Deps } from '../deps.ts';
import type { SessionEvent } from '../ports/tracker/agent-sessions.ts';
import type { NewComment, Tracker } from '../ports/tracker/tracker.ts';
import type { DeliveryHandler, DeliveryResult, StoredDelivery } from '../ports/ports.ts';
import type { CodeHost } from '../ports/code-host/code-host.ts';

/**
 * What the core offers to integrations: the effects of webhooks, performed like those of polling.
 */
export type IntegrationHost = {
  /** Syncs issues with the tracker. */
  syncIssues(tracker: Tracker, issueIds: readonly string[]): Promise<unknown>;
  handleComment(comment: Omit<NewComment, 'place'> & { tracker: string }): Promise<void>;
  /** Whether a comment belongs to an agent session, which handles it itself. */
  isInSession(tracker: string, place: NonNullable<NewComment['place']>): Promise<boolean>;
  handleSessionEvent(event: SessionEvent & { tracker: string; isAllowed: boolean }): Promise<void>;
  /** Renews the tracker's token by the sign-in that issued it; false when that is impossible. */
  renewTrackerToken(): Promise<boolean>;
};

export type IntegrationParts = Pick<
  Deps,
  'db' | 'clock' | 'ids' | 'config' | 'logger' | 'service' | 'resolveSecret' | 'redactor'
> & { host: IntegrationHost };

/** The parts that one provider offers to the core; each is left out if it has none. */
export type Connected = {
  tracker?: Tracker;
  codeHost?: CodeHost;
  /** Handles webhooks to `/webhooks/tracker` while its tracker is the configured one. */
  trackerDeliveries?: DeliveryHandler;
  /** Handles webhooks to `/webhooks/codehost` about issues; null for any other. */
  issueDeliveries?: (delivery: StoredDelivery) => Promise<DeliveryResult | null>;
};

/** One provider. It reads its settings on every use, because they may be reloaded. */
export type Integration = { connect(parts: IntegrationParts): Connected };
