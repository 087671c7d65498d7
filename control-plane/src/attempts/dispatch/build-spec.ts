import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { AttemptSpec } from '@switchyard/shared/protocol/attempt-spec';
import type { EffectiveConfig } from '../../admin/config/schema/config-schema.ts';
import type { CheckpointRow } from '../../db/schema/work/checkpoints.ts';
import type { IssueRow } from '../../db/schema/work/issues.ts';
import { CONTINUATION_PROMPT, withStatusLine } from '../prompt/default-prompt.ts';
import { promptVariables } from '../prompt/prompt-variables.ts';
import { renderTemplate } from '../prompt/render-template.ts';
import { workspaceKey } from '@switchyard/shared/protocol/workspace-key';
import { REPORT_TRACKER } from '../../integrations/report/report-tracker.ts';
import { workSecrets } from './work-secrets.ts';

const MINUTE_MS = 60_000;

/**
 * What a runner gets to know of an attempt. Throws TemplateError when the prompt cannot be rendered;
 * that fails the attempt and nothing else.
 */
export async function buildSpec(input: {
  attemptId: string;
  number: number;
  issue: IssueRow;
  route: RepoRoute;
  config: EffectiveConfig;
  /** Liquid text of the first prompt. */
  template: string;
  /** What the agent may ask this service for; left out: nothing. */
  tools?: AttemptSpec['tools'];
  /** Newest checkpoint of the issue. */
  checkpoint: CheckpointRow | null;
  /** Section with what people said that nobody has heard; '' when there is none. */
  words?: string;
  /** The thread has had that section before: only a new one is told again. */
  wordsHeard?: boolean;
}): Promise<AttemptSpec> {
  const { issue, route, config } = input;
  const issueSpec = {
    id: issue.id,
    identifier: issue.identifier,
    title: issue.title,
    description: issue.description,
    url: issue.url,
    labels: issue.labels,
  };
  const key = workspaceKey(issue.identifier);
  const variables = promptVariables({
    issue,
    route,
    number: input.number,
    workspaceKey: key,
    // Only reports stand there, whose text is that of the automation.
    trusted: issue.tracker === REPORT_TRACKER,
  });
  const instructions = withStatusLine(input.template, renderTemplate(input.template, variables));
  const words = input.words ?? '';
  return {
    attemptId: input.attemptId,
    number: input.number,
    issue: issueSpec,
    repository: {
      url: route.url,
      ...(route.default_branch === undefined ? {} : { defaultBranch: route.default_branch }),
    },
    prompt: instructions + words,
    continuationPrompt:
      continuationPrompt(issue, instructions) + (input.wordsHeard === true ? '' : words),
    ...resumeSpec(issue, input.checkpoint),
    checkpoints: {
      ...config.agent.checkpoints,
      // Nothing of work that only reads is kept in the repository.
      ...(issue.read_only ? { pushWorkInProgress: false } : {}),
    },
    ...(issue.read_only ? { readOnly: true } : {}),
    ...(input.tools === undefined || input.tools.length === 0 ? {} : { tools: input.tools }),
    ...(issue.branch === null ? {} : { branch: issue.branch }),
    engine: engineSpec(issue, config),
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
  };
}

/** How long one attempt may take, milliseconds. */
export function attemptMs({ agent }: Pick<EffectiveConfig, 'agent'>): number {
  return agent.budget.attemptMinutes * MINUTE_MS;
}

/** A thread that goes on has heard its first prompt only: an issue's own template is told again. */
function continuationPrompt(issue: IssueRow, prompt: string): string {
  if (issue.template_id === null) return CONTINUATION_PROMPT;
  return `${CONTINUATION_PROMPT}\n\nThese instructions hold from now on:\n\n${prompt}`;
}

function resumeSpec(
  issue: IssueRow,
  checkpoint: CheckpointRow | null,
): Pick<AttemptSpec, 'resumeThreadId' | 'resume'> {
  const threadId = issue.thread_id ?? checkpoint?.thread_id ?? null;
  const {
    commit_sha: commitSha,
    base_commit: baseCommit,
    session_blob: sessionBlob,
  } = checkpoint ?? {};
  const resume = {
    ...(commitSha ? { commitSha } : {}),
    ...(baseCommit ? { baseCommit } : {}),
    ...(sessionBlob && checkpoint?.thread_id === threadId ? { sessionBlob } : {}),
  };
  return {
    ...(threadId === null ? {} : { resumeThreadId: threadId }),
    ...(Object.keys(resume).length === 0 ? {} : { resume }),
  };
}

function engineSpec(issue: IssueRow, config: EffectiveConfig): AttemptSpec['engine'] {
  const effort = issue.reasoning_effort ?? config.engine.reasoningEffort;
  const { provider } = config.engine;
  return {
    ...(config.engine.name === undefined ? {} : { name: config.engine.name }),
    model: issue.model ?? config.engine.model,
    ...(effort === undefined || effort === null ? {} : { reasoningEffort: effort }),
    ...(config.engine.repositorySettings ? { repositorySettings: true } : {}),
    provider: { name: provider.name, baseUrl: provider.baseUrl, wireApi: provider.wireApi },
  };
}

function sandboxSpec(config: EffectiveConfig, route: RepoRoute): AttemptSpec['sandbox'] {
  const { image, resources, runtime, isolation, cache, cacheBytes, ...network } =
    config.engine.sandbox;
  // Where nothing is reached, nobody gets a secret.
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
