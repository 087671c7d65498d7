import { OFFER_TTL_MS } from '@switchyard/shared/protocol/limits';
import type { Deps } from '../../deps.ts';
import { buildSpec } from './build-spec.ts';
import { collectOffer } from './collect-offer.ts';
import { commitOffer } from './commit-offer.ts';
import type { Offer } from './offer.ts';

/**
 * Claims the issue, stores the offer and sends it to the runner. False when another change came
 * first. Throws TemplateMissing, and TemplateError if the prompt cannot be rendered.
 */
export async function offerAttempt(deps: Deps, offer: Offer): Promise<boolean> {
  const facts = await collectOffer(deps, offer);
  const spec = buildSpec(offer, facts);
  if (!(await commitOffer(deps, { offer, facts, spec }))) return false;
  const { attemptId, epoch } = facts;
  deps.connections.send(offer.runnerId, [
    { type: 'offer', attemptId, epoch, expiresInMs: OFFER_TTL_MS, spec },
  ]);
  return true;
}
