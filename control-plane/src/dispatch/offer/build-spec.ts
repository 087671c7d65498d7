import {
  REVIEW_CONTINUATION,
  REVIEW_PROMPT,
  reviewSection,
} from '../../attempts/prompt/review-prompt.ts';
import { KIND_RULES } from '@switchyard/shared/attempts/kind-rules';
import {
  instructionsSection,
  PLAN_CONTINUATION,
  PLAN_PROMPT,
  planSection,
  WORK_CONTINUATION,
} from '../../attempts/prompt/plan-prompt.ts';
import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { AttemptSpec, ReviewSpec } from '@switchyard/shared/protocol/attempt-spec';
import type { EffectiveConfig } from '../../config/schema/config-schema.ts';
import type { EngineChoice } from '../../config/provider/engine-choice.ts';
import type { CheckpointRow } from '../../db/schema/work/checkpoints.ts';
import { DEFAULT_CHECK_TIMEOUT_MS } from '@switchyard/shared/checks/check-spec';
import { evidenceSection } from '../../attempts/prompt/evidence-section.ts';
import {
  CONTINUATION_PROMPT,
  withStatusLine,
  checksSection,
} from '../../attempts/prompt/default-prompt.ts';
import { handOverSection } from '../../attempts/prompt/hand-over.ts';
import { promptVariables } from '../../attempts/prompt/prompt-variables.ts';
import { messagesSection } from '../../attempts/prompt/undelivered-messages.ts';
import { renderTemplate } from '../../attempts/prompt/render-template.ts';
import { REPORT_TRACKER } from '../../integrations/report/report-tracker.ts';
import type { OfferFacts } from './collect-offer.ts';
import type { Offer } from './offer.ts';
import { workSecrets } from './work-secrets.ts';

const MINUTE_MS = 60_000;

type Checks = NonNullable<AttemptSpec['checks']>;
type SpecChoice = Pick<Offer, 'waiting' | 'choice' | 'route' | 'config'>;
type SpecFacts = Omit<OfferFacts, 'epoch' | 'planState' | 'otherBefore' | 'nowMs'>;

/**
 * The specification that a runner receives for an attempt. Throws TemplateError if the prompt
 * cannot be rendered; dispatch then sets only this issue to failed.
 */
export function buildSpec(
  { waiting, choice, route, config }: SpecChoice,
  facts: SpecFacts,
): AttemptSpec {
  const { issue, number, workspaceKey, merge, review } = facts;
  // If the attempt already had turns under an earlier lease, its thread contains the people's
  // messages.
  const turnsBefore = waiting?.turn_count ?? 0;
  const readOnly = issue.read_only || KIND_RULES[facts.kind].readsOnly;
  const checks = readOnly ? [] : checksOf(route);
  const evidence = readOnly || merge !== null ? {} : evidenceOf(route);
  const prompts =
    merge === null
      ? promptsOf({ route, turnsBefore }, facts, { checks, evidence })
      : { prompt: '', continuationPrompt: '' };
  return {
    attemptId: facts.attemptId,
    number,
    ...(turnsBefore > 0 ? { turnsBefore } : {}),
    issue: {
      id: issue.id,
      identifier: issue.identifier,
      title: issue.title,
      description: issue.description,
      url: issue.url,
      labels: issue.labels,
    },
    repository: {
      url: route.url,
      ...(route.default_branch === undefined ? {} : { defaultBranch: route.default_branch }),
      ...(route.sparse_paths === undefined ? {} : { sparsePaths: route.sparse_paths }),
      ...(route.submodules === undefined ? {} : { submodules: route.submodules }),
    },
    ...prompts,
    ...(review === null
      ? resumeSpec(facts.threadId, facts.checkpoint)
      : resumeOfReview(facts.threadId, review.spec)),
    checkpoints: {
      ...config.agent.checkpoints,
      // A read-only attempt and a merge push no work in progress to the repository.
      ...(readOnly || merge !== null ? { pushWorkInProgress: false } : {}),
    },
    ...(readOnly ? { readOnly: true } : {}),
    ...(facts.tools.length === 0 ? {} : { tools: facts.tools }),
    ...(route.repository_servers === true ? { repositoryServers: true } : {}),
    branch: facts.branch,
    ownCommits: facts.ownCommits,
    workspaceKey,
    engine: engineSpec(choice, config),
    sandbox: sandboxSpec(config, route),
    push: config.agent.push,
    limits: {
      maxTurns: config.agent.maxTurns,
      turnStallMs: Math.max(0, config.engine.stallTimeoutMs),
      agentStallMs: Math.max(0, config.agent.stallTimeoutMs),
      attemptMs: attemptMs(config),
      requestMs: config.agent.requestTimeoutMs,
      hookMs: config.hooks.timeoutMs,
    },
    hooks: hookSpec(config),
    commit: config.commit,
    ...(checks.length === 0 ? {} : { checks }),
    ...evidence,
    ...(merge === null ? {} : { merge }),
    ...(review === null ? {} : { review: review.spec }),
  };
}

/** What the agent is asked: at the first turn of a thread, and when a thread is resumed. */
function promptsOf(
  { route, turnsBefore }: Pick<Offer, 'route'> & { turnsBefore: number },
  facts: SpecFacts,
  { checks, evidence }: { checks: Checks; evidence: Pick<AttemptSpec, 'scope' | 'artifacts'> },
): Pick<AttemptSpec, 'prompt' | 'continuationPrompt'> {
  const { issue, parent, number, workspaceKey, template } = facts;
  const variables = promptVariables({
    issue,
    parent,
    route,
    number,
    workspaceKey,
    // This tracker holds only reports, whose text comes from the automation.
    trusted: issue.tracker === REPORT_TRACKER,
  });
  if (facts.review !== null) {
    const { spec, base } = facts.review;
    const instructions = route.review?.instructions ?? null;
    const change = reviewSection({ ...spec, base, instructions });
    const prompt = renderTemplate(REVIEW_PROMPT, variables) + change;
    return { prompt, continuationPrompt: `${REVIEW_CONTINUATION}\n\n${prompt}` };
  }
  const isPlan = facts.kind === 'plan';
  const work = withStatusLine(template, renderTemplate(template, variables));
  const instructions = isPlan
    ? renderTemplate(PLAN_PROMPT, variables) + instructionsSection(template, work)
    : work;
  const messages = messagesSection(facts.messages) + facts.feedback;
  const handOver = facts.handOver === null ? '' : handOverSection(facts.handOver);
  const plan = isPlan ? null : facts.plan;
  const rules = planSection(plan) + evidenceSection(evidence) + checksSection(checks);
  return {
    prompt: instructions + rules + messages + handOver,
    continuationPrompt:
      continuationPrompt(facts, instructions) + rules + (turnsBefore > 0 ? '' : messages),
  };
}

function evidenceOf({ scope, artifacts }: RepoRoute): Pick<AttemptSpec, 'scope' | 'artifacts'> {
  return {
    ...(scope === undefined ? {} : { scope }),
    ...(artifacts === undefined ? {} : { artifacts }),
  };
}

function checksOf({ checks = [] }: RepoRoute): Checks {
  return checks.map(({ name, command, timeout_ms: timeoutMs = DEFAULT_CHECK_TIMEOUT_MS }) => ({
    name,
    command,
    timeoutMs,
  }));
}

/** How long one attempt may take, milliseconds. */
export function attemptMs({ agent }: Pick<EffectiveConfig, 'agent'>): number {
  return agent.budget.attemptMinutes * MINUTE_MS;
}

/**
 * What a resumed thread is told. It contains only its first prompt, so the instructions are sent
 * again where they are new to it: for a plan, for the work after it, and an issue's own template.
 */
function continuationPrompt(
  { kind, plan, issue }: Pick<OfferFacts, 'kind' | 'plan' | 'issue'>,
  instructions: string,
): string {
  if (kind === 'plan') return `${PLAN_CONTINUATION}\n\n${instructions}`;
  if (plan !== null && !plan.isBegun) return `${WORK_CONTINUATION}\n\n${instructions}`;
  if (issue.template_id === null) return CONTINUATION_PROMPT;
  return `${CONTINUATION_PROMPT}\n\nThese instructions hold from now on:\n\n${instructions}`;
}

function resumeSpec(
  threadId: string | null,
  checkpoint: CheckpointRow | null,
): Pick<AttemptSpec, 'resumeThreadId' | 'resume'> {
  const {
    commit_sha: commitSha,
    base_commit: baseCommit,
    session_blob: sessionBlob,
  } = checkpoint ?? {};
  const resume = {
    ...(commitSha ? { commitSha } : {}),
    ...(baseCommit ? { baseCommit } : {}),
    ...(sessionBlob && threadId !== null && checkpoint?.thread_id === threadId
      ? { sessionBlob }
      : {}),
  };
  return {
    ...(threadId === null ? {} : { resumeThreadId: threadId }),
    ...(Object.keys(resume).length === 0 ? {} : { resume }),
  };
}

/** A review begins at the commit that it is about, on whatever runner. */
function resumeOfReview(
  threadId: string | null,
  { expectedCommit: commitSha, baseCommit }: ReviewSpec,
): Pick<AttemptSpec, 'resumeThreadId' | 'resume'> {
  return {
    ...(threadId === null ? {} : { resumeThreadId: threadId }),
    resume: { commitSha, baseCommit },
  };
}

function engineSpec(choice: EngineChoice, config: EffectiveConfig): AttemptSpec['engine'] {
  const { engine, model, reasoningEffort, account, provider } = choice;
  return {
    ...(engine === undefined ? {} : { name: engine }),
    model,
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    ...(account === undefined ? {} : { account }),
    ...(config.engine.repositorySettings ? { repositorySettings: true } : {}),
    provider,
  };
}

function sandboxSpec(config: EffectiveConfig, route: RepoRoute): AttemptSpec['sandbox'] {
  const { image, resources, runtime, isolation, cache, cacheBytes, ...network } =
    config.engine.sandbox;
  // Without network access secrets have no use, so none are granted.
  const secrets = network.network === 'none' ? [] : workSecrets(route);
  return {
    ...(image === undefined ? {} : { image }),
    ...resources,
    ...(runtime === undefined ? {} : { runtime }),
    isolation,
    ...(cache === 'none' ? {} : { setupCacheBytes: cacheBytes }),
    egress: {
      preset: network.network,
      hosts: network.allowedHosts,
      maxBytes: network.networkBytes,
    },
    ...(secrets.length === 0 ? {} : { secrets }),
  };
}

function hookSpec(config: EffectiveConfig): AttemptSpec['hooks'] {
  const { afterCreate, beforeRun, afterRun, beforeRemove } = config.hooks;
  return {
    ...(afterCreate === undefined ? {} : { afterCreate }),
    ...(beforeRun === undefined ? {} : { beforeRun }),
    ...(afterRun === undefined ? {} : { afterRun }),
    ...(beforeRemove === undefined ? {} : { beforeRemove }),
  };
}
