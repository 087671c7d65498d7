import { z } from 'zod';

const PerMinute = z.int().min(1).max(1_000_000_000);

/** `limits.*`: how often one client may ask. */
export const LimitsSection = z.strictObject({
  apiPerMinute: PerMinute.default(300).describe('API requests per minute and client.'),
  webhooksPerMinute: PerMinute.default(600).describe('Deliveries per minute and client.'),
});
