import { z } from 'zod';
import { Question } from './question.ts';
import { namedObject, strictNamedObject } from '../../named-object.ts';

/**
 * A question that an agent asks a person, or a plan that it hands in for approval. Only the first
 * answer counts. The answer to the question `plan` decides a plan: `Approve`, or what should be
 * different. Its edited text may be given as `edited_plan` with the approval.
 */
export const HumanRequest = namedObject('HumanRequest', {
  requestId: z.string(),
  attemptId: z.string(),
  identifier: z.string(),
  state: z.enum(['asked', 'answered', 'resumed', 'expired']),
  questions: z.array(Question),
  /** The plan that the agent hands in with the request; null: it only asks. */
  plan: z
    .object({
      /** Markdown, written by the agent: an untrusted text. */
      text: z.string(),
      /** The plan waits, and the title or description has changed since it was begun. */
      isStale: z.boolean(),
    })
    .nullable(),
  /** Answers by question id; secret ones are shown as `•••`. Null: not answered. */
  answers: z.record(z.string(), z.array(z.string())).nullable(),
  answeredBy: z.string().nullable(),
  askedAt: z.iso.datetime(),
  answeredAt: z.iso.datetime().nullable(),
  expiresAt: z.iso.datetime(),
});
export type HumanRequest = z.infer<typeof HumanRequest>;

export const RequestList = namedObject('RequestList', {
  requests: z.array(HumanRequest),
  total: z.int(),
});

export const AnswerRequest = strictNamedObject('AnswerRequest', {
  answers: z.record(z.string().max(200), z.array(z.string().max(20_000)).max(20)),
});
