import { z } from 'zod';
import { AttemptOutcome, AttemptStatus } from './work/attempt.ts';
import { namedObject } from '../named-object.ts';
import { ArtifactType, MAX_ARTIFACTS } from '../evidence/artifact.ts';
import { OutsideScope } from '../evidence/scope.ts';

/** Attempts and questions of an issue that are listed, the newest ones; older ones are left out. */
export const MAX_EVIDENCE_ATTEMPTS = 50;
export const MAX_EVIDENCE_QUESTIONS = 20;

/** One of the attempts that the work needed. */
const EvidenceAttempt = namedObject('EvidenceAttempt', {
  attemptId: z.string(),
  number: z.int(),
  status: AttemptStatus,
  outcome: AttemptOutcome.nullable(),
});

/** A question of an agent and the person's answer. Both are untrusted texts. */
const EvidenceQuestion = namedObject('EvidenceQuestion', {
  attemptId: z.string(),
  question: z.string(),
  answer: z.string().nullable().describe('Null: nobody answered, or the answer is a secret.'),
  answeredBy: z.string().nullable(),
  askedAt: z.iso.datetime(),
});
export type EvidenceQuestion = z.infer<typeof EvidenceQuestion>;

/** A file that the agent left in the folder that its repository's route declares for artifacts. */
const EvidenceFile = namedObject('EvidenceFile', {
  path: z.string().describe('Below that folder.'),
  bytes: z.int(),
  type: ArtifactType,
  url: z.string().describe('Path of this service that answers its bytes.'),
});
export type EvidenceFile = z.infer<typeof EvidenceFile>;

/**
 * How the work of an attempt came about, beside its declared checks: facts recorded by runner and
 * control plane, none of them claims of the agent. Attempts, usage and questions are those of the
 * issue up to this attempt.
 */
export const AttemptEvidence = namedObject('AttemptEvidence', {
  attemptId: z.string(),
  changes: namedObject('EvidenceChanges', {
    files: z.int(),
    insertions: z.int(),
    deletions: z.int(),
  })
    .nullable()
    .describe('Null: nothing was handed in.'),
  outsideScope: OutsideScope.nullable().describe(
    'Null: the repository declares no scope, or its runner told nothing of it.',
  ),
  attempts: z.array(EvidenceAttempt).max(MAX_EVIDENCE_ATTEMPTS),
  attemptCount: z.int(),
  usage: namedObject('EvidenceUsage', {
    tokens: z.int(),
    costUsd: z.number().nullable().describe('Null: no model of them has a price.'),
    unpricedTokens: z.int().describe('Of models without a price: what the cost lacks.'),
  }),
  questions: z.array(EvidenceQuestion).max(MAX_EVIDENCE_QUESTIONS),
  questionCount: z.int(),
  files: z.array(EvidenceFile).max(MAX_ARTIFACTS),
  filesLeftOut: z.int().describe('Further files, beyond the limits of number or size.'),
});
export type AttemptEvidence = z.infer<typeof AttemptEvidence>;
