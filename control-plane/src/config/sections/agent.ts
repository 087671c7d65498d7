import { MAX_QUESTION_MS } from '@switchyard/shared/protocol/limits';
import { PlanMode } from '@switchyard/shared/plan/plan-mode';
import { z } from 'zod';
import { whole } from '../bounds/whole.ts';
import { filledText, listOf, text } from '../bounds/text.ts';

const Count = whole(1, 1_000);
const DelayMs = whole(0, 86_400_000);

/** State names are compared without case and surrounding blanks; a limit below 1 means no limit. */
const CapsByState = z.record(text(200), z.number().max(1_000)).transform((caps) => {
  const kept = Object.entries(caps).filter(([, cap]) => cap >= 1);
  return Object.fromEntries(
    kept.map(([state, cap]) => [state.trim().toLowerCase(), Math.floor(cap)]),
  );
});

const Budget = z.strictObject({
  attemptMinutes: z
    .number()
    .positive()
    .max(100_000)
    .default(120)
    .describe('Longest duration of one attempt, minutes.'),
  issueTokens: whole(1)
    .default(20_000_000)
    .describe('Tokens that all attempts of one issue may use together.'),
  issueAttempts: whole(1).optional().describe('Attempts that one issue may have in its life.'),
  unattendedRuns: whole(1)
    .optional()
    .describe(
      'Agent runs that one issue may have until a person does something about it. Left out: 30, or five for each attempt that it may have where those are more.',
    ),
  treeTokens: whole(1)
    .optional()
    .describe('Tokens that an issue may use together with all issues of its tree.'),
  treeCostUsd: z
    .number()
    .positive()
    .optional()
    .describe(
      'Cost of an issue together with all issues of its tree, US dollars. Work of models without a price (see prices) does not count.',
    ),
  dayTokens: whole(1).optional().describe('Tokens that all issues may use per UTC day.'),
  dayCostUsd: z
    .number()
    .positive()
    .optional()
    .describe(
      'Cost of all issues per UTC day, US dollars. Work of models without a price (see prices) does not count.',
    ),
});

const Checkpoints = z.strictObject({
  pushWorkInProgress: z
    .boolean()
    .default(true)
    .describe('Push unfinished work to a hidden ref of the remote, refs/switchyard/wip/….'),
  uploadSession: z
    .boolean()
    .default(true)
    .describe("Keep the engine's session here, so that another runner can go on with its thread."),
});

const Push = z.strictObject({
  allowPaths: listOf(filledText(300), 200)
    .default([])
    .describe('Globs of protected files (workflows, hooks) that agents may change all the same.'),
  maxFiles: whole(1).default(2_000).describe('Files that one branch may change.'),
  maxBytes: whole(1)
    .default(64 * 1_048_576)
    .describe('What the changed files of one branch may weigh, bytes.'),
});

const MAX_PLAN_RULES = 100;
/** Names of states and labels are compared without case and surrounding blanks. */
const PlanModes = z
  .record(filledText(200), PlanMode)
  .refine((modes) => Object.keys(modes).length <= MAX_PLAN_RULES, {
    message: `must have at most ${MAX_PLAN_RULES} entries`,
  })
  .transform((modes) =>
    Object.fromEntries(
      Object.entries(modes).map(([name, mode]) => [name.trim().toLowerCase(), mode]),
    ),
  );

const Plan = z.strictObject({
  mode: PlanMode.default('off').describe(
    'Whether an agent plans before it works. ask: a person approves the plan; auto: work begins by itself unless the plan asks a question. A repository may have its own (repos[].plan).',
  ),
  byState: PlanModes.prefault({}).describe('The mode of issues in a tracker state.'),
  byLabel: PlanModes.prefault({}).describe(
    'The mode of issues with a label, before all others; of several labels the strictest counts.',
  ),
});

const SubIssues = z.strictObject({
  maxDepth: whole(1, 10)
    .default(3)
    .describe('Levels of sub-issues below the topmost issue of a tree.'),
  maxIssues: whole(2, 200).default(50).describe('Issues of one tree, the topmost included.'),
});

/** `agent.*`: how many agents run, how long, and how often they retry. */
export const AgentSection = z.strictObject({
  maxConcurrentAgents: Count.default(10).describe('Agents that may run at once.'),
  maxConcurrentAgentsByState: CapsByState.prefault({}).describe(
    'Agents that may run at once per tracker state.',
  ),
  maxTurns: Count.default(20).describe('Turns of one attempt on one thread.'),
  maxContinuationAttempts: whole(0, 100)
    .default(5)
    .describe('Attempts after the first, failures and continuations together.'),
  maxFeedbackAttempts: whole(0, 100)
    .default(5)
    .describe('Attempts that comments on a pull request may start.'),
  retryBaseMs: DelayMs.default(10_000).describe('Delay before the first retry; doubles each time.'),
  maxRetryBackoffMs: DelayMs.default(300_000).describe('Longest delay before a retry.'),
  push: Push.prefault({}).describe('What is looked at before anything is pushed.'),
  stallTimeoutMs: z
    .int()
    .max(604_800_000)
    .default(1_200_000)
    .describe('Time without progress in any phase after which an attempt ends; 0 or less: never.'),
  requestTimeoutMs: whole(1_000, MAX_QUESTION_MS)
    .default(86_400_000)
    .describe("How long an agent's question waits for a person."),
  tools: listOf(z.enum(['github_api', 'tracker_api']), 2)
    .default(['github_api', 'tracker_api'])
    .describe('What agents may ask of the code host and the tracker, where these can answer.'),
  templateId: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .optional()
    .describe('Stored prompt template of issues without one of their own; left out: `prompt`.'),
  plan: Plan.prefault({}).describe('When an agent plans first, and a person approves the plan.'),
  subIssues: SubIssues.prefault({}).describe('How large a tree of issues may become.'),
  checkpoints: Checkpoints.prefault({}).describe(
    'What is kept outside the host while work goes on.',
  ),
  budget: Budget.prefault({}).describe('What an issue may use before it is parked as blocked.'),
});
