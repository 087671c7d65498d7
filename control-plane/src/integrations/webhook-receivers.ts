import { readGitHubDelivery } from './github/read-github-delivery.ts';
import { readLinearDelivery, SIGNATURE_HEADER } from './linear/webhook/read-linear-delivery.ts';

/** How webhooks to each receiver are verified and parsed. */
export const webhookReceivers = {
  tracker: { signatureHeader: SIGNATURE_HEADER, read: readLinearDelivery },
  codehost: { signatureHeader: 'X-Hub-Signature-256', read: readGitHubDelivery },
} as const;
