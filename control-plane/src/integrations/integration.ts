import type { Deps } from '../deps.ts';
import type { SessionEvent } from '../ports/tracker/agent-sessions.ts';
import type { NewComment, Tracker } from '../ports/tracker/tracker.ts';
import type { DeliveryHandler, DeliveryResult, StoredDelivery } from '../ports/ports.ts';
import type { CodeHost } from '../ports/code-host/code-host.ts';

/** What the core does for an integration: what deliveries ask for, by the use cases of polling. */
export type IntegrationHost = {
  /** Brings the rows of issues up to date with the tracker. */
  syncIssues(tracker: Tracker, issueIds: readonly string[]): Promise<unknown>;
  handleComment(comment: Omit<NewComment, 'place'> & { tracker: string }): Promise<void>;
  /** Whether a comment belongs to an agent session, which hears of it otherwise. */
  isInSession(tracker: string, place: NonNullable<NewComment['place']>): Promise<boolean>;
  handleSessionEvent(event: SessionEvent & { tracker: string; isAllowed: boolean }): Promise<void>;
  /** Gets a new key of the tracker by the sign-in that gave the old one; false where that cannot be. */
  renewTrackerToken(): Promise<boolean>;
};

export type IntegrationParts = Pick<
  Deps,
  'db' | 'clock' | 'ids' | 'events' | 'config' | 'logger' | 'service' | 'resolveSecret' | 'redactor'
> & { host: IntegrationHost };

/** What one provider is to the core; each part is left out where it has none. */
export type Connected = {
  tracker?: Tracker;
  codeHost?: CodeHost;
  /** What deliveries to `/webhooks/tracker` mean while its tracker is the configured one. */
  trackerDeliveries?: DeliveryHandler;
  /** What deliveries to `/webhooks/codehost` say about issues; null for those about anything else. */
  issueDeliveries?: (delivery: StoredDelivery) => Promise<DeliveryResult | null>;
};

/** One provider. It reads its settings anew at every use: a reload may change them. */
export type Integration = { connect(parts: IntegrationParts): Connected };
