import { z } from 'zod';
import { Question } from './question.ts';

/** Something an agent asks a person. The first answer wins. */
export const HumanRequest = z
  .object({
    requestId: z.string(),
    attemptId: z.string(),
    identifier: z.string(),
    state: z.enum(['asked', 'answered', 'resumed', 'expired']),
    questions: z.array(Question),
    /** Secret answers are shown as `•••`. */
    answers: z.record(z.string(), z.array(z.string())).nullable(),
    answeredBy: z.string().nullable(),
    askedAt: z.iso.datetime(),
    answeredAt: z.iso.datetime().nullable(),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'HumanRequest' });
export type HumanRequest = z.infer<typeof HumanRequest>;

export const RequestList = z
  .object({ requests: z.array(HumanRequest), total: z.int() })
  .meta({ id: 'RequestList' });

export const AnswerRequest = z
  .strictObject({ answers: z.record(z.string().max(200), z.array(z.string().max(20_000)).max(20)) })
  .meta({ id: 'AnswerRequest' });
