import { z } from 'zod';
import { whole } from '../bounds/whole.ts';

const PerMinute = whole(1, 1_000_000_000);

const Streams = whole(1, 10_000);

/** `limits.*`: request rates of one client, and the number of open streams. */
export const LimitsSection = z.strictObject({
  apiPerMinute: PerMinute.default(300).describe('API requests per minute and client.'),
  webhooksPerMinute: PerMinute.default(600).describe('Deliveries per minute and client.'),
  runnerFailuresPerMinute: PerMinute.default(30).describe(
    'Runner requests that are refused, per minute and client, before the refusal becomes 429.',
  ),
  streamsPerClient: Streams.default(32).describe('Event streams open at once for one client.'),
  streams: Streams.default(256).describe(
    'Event streams open at once for all; those without a token get three quarters of them.',
  ),
});
