import { z } from 'zod';
import { Question } from './question.ts';
import { namedObject, strictNamedObject } from '../../named-object.ts';

/** A question that an agent asks a person. Only the first answer counts. */
export const HumanRequest = namedObject('HumanRequest', {
  requestId: z.string(),
  attemptId: z.string(),
  identifier: z.string(),
  state: z.enum(['asked', 'answered', 'resumed', 'expired']),
  questions: z.array(Question),
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
