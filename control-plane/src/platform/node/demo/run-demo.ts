import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { StreamEvent } from '@switchyard/shared/api/attempt';
import { AttemptEventPayload } from '@switchyard/shared/protocol/attempt-event';
import type { IssueDetail } from '@switchyard/shared/api/issue';
import type { Logger } from '../../../ports.ts';
import { EXIT } from '../client/exit-codes.ts';
import type { ServeFlags } from '../serve-flags.ts';
import { openBrowser } from '../open-browser.ts';
import { type Both, startBoth } from '../start-both.ts';
import { firstStopSignal } from '../stop-signals.ts';
import { demoClient } from './demo-client.ts';
import { makeDemoRepository } from './demo-repository.ts';
import { failingTestIssue } from './scripted-provider/failing-test-project.ts';
import { fixFailingTest, WATCHABLE } from './scripted-provider/ready-scripts.ts';
import { startScriptedProvider } from './scripted-provider/scripted-provider.ts';

const RUNNER_TIMEOUT_MS = 60_000;
const ISSUE_TIMEOUT_MS = 300_000;
/** No model of this name exists: nothing can mistake the script for one. */
const MODEL = 'scripted-model';

export type DemoFlags = Omit<ServeFlags, 'runner'> & { once?: boolean; json?: boolean };

/** The machine-readable end of a demo. */
type DemoResult = {
  issue: { identifier: string; title: string; status: string; reason: string | null };
  attempts: {
    attemptId: string;
    number: number;
    outcome: string | null;
    failureKind: string | null;
  }[];
  pullRequest: { url: string; branch: string; commitSha: string; diffStat: object } | null;
  events: number;
  sandbox: string | null;
  engineVersion: string | null;
  durationMs: number;
};

/**
 * `switchyard demo`: a small repository with a failing test, an issue to fix it and a scripted model;
 * everything else is real. Exit code 0 when the pull request is there.
 */
export async function runDemo(
  flags: DemoFlags,
  input: { env: NodeJS.ProcessEnv; logger: Logger },
): Promise<number> {
  const stopped = firstStopSignal();
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  const folder =
    flags.dataDir === undefined
      ? mkdtempSync(join(tmpdir(), 'switchyard-demo-'))
      : resolve(flags.dataDir);
  mkdirSync(folder, { recursive: true });
  const apiKey = `demo-${randomBytes(16).toString('hex')}`;
  const provider = await startScriptedProvider({
    script: fixFailingTest(flags.once === true ? undefined : WATCHABLE),
    apiKey,
  });
  let both: Both | null = null;
  try {
    say('making a repository with a failing test …');
    const repository = await makeDemoRepository(mkdtempSync(join(folder, 'repository-')));
    both = await startBoth(
      { ...flags, dataDir: folder, runner: true },
      {
        env: demoEnvironment(input.env, provider.url, apiKey),
        workingFolder: folder,
        logger: input.logger,
      },
    );
    const { url } = both.controlPlane;
    if (flags.json !== true) process.stdout.write(`ready ${url}\n`);
    if (flags.open && flags.once !== true) openBrowser(url, input.env);
    const result = await Promise.race([playIssue(url, repository, say), stopped]);
    if (typeof result === 'string') return EXIT.interrupted;
    report(result, flags.json === true);
    const delivered = result.pullRequest !== null && result.issue.status === 'completed';
    if (flags.once === true) return delivered ? EXIT.done : EXIT.failed;
    say(`look around at ${url}; Ctrl-C ends the demo`);
    const signal = await stopped;
    return signal === 'SIGINT' ? EXIT.interrupted : EXIT.done;
  } finally {
    await both?.stop();
    await provider.close();
    if (flags.dataDir === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function demoEnvironment(
  env: NodeJS.ProcessEnv,
  baseUrl: string,
  apiKey: string,
): NodeJS.ProcessEnv {
  const own = Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('SERVICE_CONFIG__')),
  );
  return {
    ...own,
    SERVICE_CONFIG__engine__model: MODEL,
    SERVICE_CONFIG__engine__provider__name: 'scripted',
    SERVICE_CONFIG__engine__provider__baseUrl: baseUrl,
    SERVICE_CONFIG__engine__provider__apiKey: apiKey,
    // The demo is for looking: an attempt that fails here would fail again.
    SERVICE_CONFIG__agent__maxContinuationAttempts: '0',
  };
}

async function playIssue(
  url: string,
  repository: string,
  say: (text: string) => void,
): Promise<DemoResult> {
  const client = demoClient(url);
  const startedAtMs = performance.now();
  say('waiting for the runner …');
  const runners = await client.until(
    () => client.runners(),
    (found) => found.some((runner) => runner.status === 'connected'),
    RUNNER_TIMEOUT_MS,
    'starting the runner',
  );
  await client.addRoute({ prefix: 'SY-', url: `file://${repository}` });
  const { identifier } = await client.createIssue({
    ...failingTestIssue,
    labels: ['bug'],
    priority: 2,
  });
  say(`${identifier} is filed; the agent takes it from here …`);
  let shown = '';
  const issue = await client.until(
    () => client.issue(identifier),
    (detail) => {
      shown = tellProgress(detail, shown, say);
      return ['completed', 'failed', 'blocked', 'cancelled'].includes(detail.status);
    },
    ISSUE_TIMEOUT_MS,
    'the issue',
  );
  const runner = runners.find((candidate) => candidate.status === 'connected');
  const pullRequest = (await client.pullRequests()).find(
    (found) => found.issueIdentifier === identifier,
  );
  const [attempt] = issue.attempts;
  const events = attempt === undefined ? [] : await client.attemptEvents(attempt.attemptId);
  return {
    issue: { identifier, title: issue.title, status: issue.status, reason: issue.reason },
    attempts: issue.attempts.map((a) => ({
      attemptId: a.attemptId,
      number: a.number,
      outcome: a.outcome,
      failureKind: a.failureKind,
      ...(a.errorMessage === null ? {} : { errorMessage: a.errorMessage }),
    })),
    pullRequest:
      pullRequest === undefined
        ? null
        : {
            url: pullRequest.url,
            branch: pullRequest.branch,
            commitSha: pullRequest.commitSha,
            diffStat: pullRequest.diffStat,
          },
    events: events.length,
    sandbox: runner?.isolation ?? null,
    engineVersion: engineVersionOf(events),
    durationMs: Math.round(performance.now() - startedAtMs),
  };
}

/** The engine's own word, from the event with which it began its thread. */
function engineVersionOf(events: StreamEvent[]): string | null {
  const thread = events.find((event) => event.data['kind'] === 'thread');
  const parsed = AttemptEventPayload.thread.safeParse(thread?.data['payload']);
  return parsed.success ? parsed.data.engineVersion : null;
}

function tellProgress(issue: IssueDetail, shown: string, say: (text: string) => void): string {
  const phase = issue.attempts[0]?.phase;
  const now = [issue.status, phase, issue.reason]
    .filter((part) => part !== null && part !== undefined)
    .join(' · ');
  if (now !== shown) say(`  ${issue.identifier}: ${now}`);
  return now;
}

function report(result: DemoResult, asJson: boolean): void {
  if (asJson) {
    process.stdout.write(`${JSON.stringify(result)}\n`);
    return;
  }
  const { pullRequest, issue } = result;
  process.stdout.write(
    pullRequest === null
      ? `no pull request: ${issue.status}, ${issue.reason ?? 'no reason given'}\n`
      : `pull request ${pullRequest.url} on ${pullRequest.branch} (${pullRequest.commitSha.slice(0, 12)})\n`,
  );
}
