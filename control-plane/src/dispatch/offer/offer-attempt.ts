import { OFFER_TTL_MS } from '@switchyard/shared/protocol/limits';
import type { ControlPlaneMessage } from '@switchyard/shared/protocol/messages';
import type { Deps } from '../../deps.ts';
import { buildSpec } from './build-spec.ts';
import { collectOffer } from './collect-offer.ts';
import { commitOffer } from './commit-offer.ts';
import type { Offer } from './offer.ts';

/**
 * Claims the issue and stores the offer. Returns the message for the runner; null when another
 * change came first. Throws TemplateMissing, and TemplateError if the prompt cannot be rendered.
 */
export async function offerAttempt(
  deps: Pick<Deps, 'db' | 'clock' | 'ids' | 'trackers' | 'codeHosts' | 'service'>,
  offer: Offer,
): Promise<ControlPlaneMessage | null> {
  const facts = await collectOffer(deps, offer);
  if (facts === null) return null;
  const spec = buildSpec(offer, facts);
  if (!(await commitOffer(deps, { offer, facts, spec }))) return null;
  const { attemptId, epoch } = facts;
  return { type: 'offer', attemptId, epoch, expiresInMs: OFFER_TTL_MS, spec };
}
