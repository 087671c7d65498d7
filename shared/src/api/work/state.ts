import { z } from 'zod';
import { TokenUsage } from './attempt.ts';
import { ListedIssueFacts } from './issue.ts';
import { ReasonCode } from './reason-code.ts';
import { namedObject } from '../../named-object.ts';

/** A warning about the service, present while its cause lasts; the catalogue has its texts. */
export const Notice = namedObject('Notice', {
  id: z.string().describe('Names the cause: another cause has another id.'),
  code: ReasonCode,
  detail: z.string().nullable().describe('What is added to the words of the code.'),
  since: z.iso.datetime().nullable(),
  until: z.iso.datetime().nullable().describe('When it is tried again by itself.'),
});
export type Notice = z.infer<typeof Notice>;

/** `GET /api/v1/state`: snake_case envelope, camelCase records. */
export const State = namedObject('State', {
  generated_at: z.iso.datetime(),
  counts: z.record(z.string(), z.int()),
  queued: z.array(ListedIssueFacts),
  running: z.array(ListedIssueFacts),
  retrying: z.array(ListedIssueFacts),
  blocked: z.array(ListedIssueFacts),
  completed: z.array(ListedIssueFacts),
  failed: z.array(ListedIssueFacts),
  totals: z.object({
    tokens: TokenUsage,
    cost_usd: z.number().nullable(),
    /** Tokens of models without a price, which the cost does not include. */
    unpriced_tokens: z.int(),
    attempts: z.int(),
  }),
  paused: z.object({ reason: z.string(), since: z.iso.datetime() }).nullable(),
  /** Warnings for every page, for example that agents run without isolation. */
  warnings: z.array(z.string()),
  /** The same warnings as structured data. */
  notices: z.array(Notice),
  /** Issues that have not stopped and yet need a person, for example without a repository. */
  needs_person: z.array(ListedIssueFacts),
});
export type State = z.infer<typeof State>;

export const Runtime = namedObject('Runtime', {
  version: z.string(),
  data_dir: z.string().nullable(),
  feature_flags: z.record(z.string(), z.boolean()),
  provider: z.string().nullable(),
  /**
   * Uptime at the time of this response; a later request with its entity tag may be answered as not
   * modified.
   */
  uptime_seconds: z.number(),
  started_at: z.iso.datetime(),
  instance: z.object({ id: z.string(), role: z.enum(['active', 'standby']) }),
});
export type Runtime = z.infer<typeof Runtime>;

export const RefreshResponse = namedObject('RefreshResponse', {
  queued: z.boolean(),
  coalesced: z.boolean(),
  requestedAt: z.iso.datetime(),
});
