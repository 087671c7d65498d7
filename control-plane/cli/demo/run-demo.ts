import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { commandText } from '@switchyard/shared/text/command-text';
import { CommandError } from '../client/command-error.ts';
import { EXIT } from '../client/exit.ts';
import type { CommandContext } from '../options/command-context.ts';
import { ServiceClient } from '../client/service-client.ts';
import type { ServeFlags } from '../serve-flags.ts';
import { askPerson } from '../ask-person.ts';
import { holdDataFolder, untilLost } from '../hold-data-folder.ts';
import { offerImage } from '../offer-image.ts';
import { openBrowser } from '../open-browser.ts';
import { type Both, startBoth } from '../start-both.ts';
import { firstStopSignal } from '../first-stop-signal.ts';
import { chooseEngine } from './choose-engine.ts';
import { makeDemoRepository } from './demo-repository.ts';
import { type DemoResult, playIssue } from './play-issue.ts';
import { fixFailingTest, type Pace, WATCHABLE } from '../../scripted-provider/ready-scripts.ts';
import { startScriptedProvider } from '../../scripted-provider/scripted-provider.ts';

/** No model has this name, so the script cannot be mistaken for one. */
const MODEL = 'scripted-model';

/** The only service variables that the demo uses, since it is not the user's installation. */
const KEPT = /^SERVICE_(?:LOG_|WRITE_TOKEN$|MASTER_KEY)/;

export type DemoFlags = Omit<ServeFlags, 'runner'> & {
  once?: boolean;
  json?: boolean;
  /** Delay of the scripted model before each answer, milliseconds. */
  thinkMs?: number;
};

/**
 * `switchyard demo`: runs a small repository with a failing test, an issue to fix it and a scripted
 * model; everything else is real. Exit code 0 when the pull request exists.
 */
export async function runDemo(
  flags: DemoFlags,
  input: Pick<CommandContext, 'env' | 'logger' | 'log' | 'err' | 'isJson'>,
): Promise<number> {
  const stopped = firstStopSignal();
  const say = (text: string) => input.err(`${text}\n`);
  const chosen = await chooseEngine(flags, { say, isJson: input.isJson });
  if ('exitCode' in chosen) return chosen.exitCode;
  const folder =
    flags.dataDir === undefined
      ? mkdtempSync(join(tmpdir(), 'switchyard-demo-'))
      : resolve(flags.dataDir);
  const hold = await holdDataFolder(folder, 'demo');
  const apiKey = `demo-${randomBytes(16).toString('hex')}`;
  const provider = await startScriptedProvider({
    script: fixFailingTest(paceOf(flags), { leavesReport: true }),
    apiKey,
  });
  let both: Both | null = null;
  try {
    say('making a repository with a failing test …');
    const repositories = join(folder, 'repositories');
    mkdirSync(repositories, { recursive: true });
    // Every run gets a new repository: the test of an earlier one may be fixed.
    const repository = await makeDemoRepository(mkdtempSync(join(repositories, 'demo-')));
    both = await startBoth(
      {
        ...flags,
        dataDir: folder,
        runner: true,
        allowFolder: [...(flags.allowFolder ?? []), repositories],
      },
      {
        env: {
          ...demoEnvironment(input.env, provider.url, apiKey),
          ...chosen.settings,
        },
        workingFolder: folder,
        logger: input.logger,
        log: input.log,
        demo: true,
        hold,
      },
    );
    const { url } = both.controlPlane;
    if (flags.json !== true) process.stdout.write(`ready ${url}\n`);
    const watched = flags.open && flags.once !== true;
    const ended = new AbortController();
    const playing = playIssue({
      client: new ServiceClient({ url, host: flags.host, port: flags.port, dataDir: folder }, {}),
      repository,
      say,
      onIssue: (identifier) => {
        say(`watch it at ${url}/issues/${identifier}`);
        if (watched)
          openBrowser(`${url}/issues/${identifier}`, {
            env: input.env,
            dataDir: folder,
            say: input.err,
          });
      },
      signal: ended.signal,
    });
    const mayAsk = process.stdin.isTTY && process.stderr.isTTY && flags.sandbox === 'auto';
    const offering =
      mayAsk && flags.once !== true && flags.json !== true && flags.buildImage !== true
        ? offerImage({
            client: new ServiceClient(
              { url, host: flags.host, port: flags.port, dataDir: folder },
              {},
            ),
            dataDir: folder,
            say,
            signal: ended.signal,
            askPerson: (question) => askPerson(question, { signal: ended.signal }),
          })
        : Promise.resolve();
    // The demo continues whatever the answer to the question is.
    offering.catch((error: unknown) => say(String(error)));
    const unusable = both.runner?.unusable.then(() => 'unusable' as const);
    const lost = untilLost(both.lost, input.logger);
    const result = await Promise.race([playing, stopped, lost, ...(unusable ? [unusable] : [])]);
    if (typeof result === 'string') {
      ended.abort();
      await playing.catch(() => null);
      if (result === 'lost') return EXIT.failed;
      if (result !== 'unusable') return EXIT.interrupted;
      if (!input.isJson) return EXIT.notConfigured;
      throw new CommandError(
        `the runner cannot work here: "${commandText('doctor', input.env)}" says why`,
        EXIT.notConfigured,
      );
    }
    if (flags.json === true) process.stdout.write(`${JSON.stringify(result)}\n`);
    else {
      report(result);
      say(sandboxText(result.sandbox));
    }
    const delivered = result.pullRequest !== null && result.issue.status === 'completed';
    if (!delivered) input.err(explainFailure(result));
    if (flags.once === true) return delivered ? EXIT.done : EXIT.failed;
    say(
      delivered
        ? `review and merge it at ${url}/pull-requests/${result.pullRequest?.id}; Ctrl-C ends the demo`
        : `look around at ${url}; Ctrl-C ends the demo`,
    );
    const signal = await Promise.race([stopped, lost]);
    ended.abort();
    if (signal === 'lost') return EXIT.failed;
    return signal === 'SIGINT' ? EXIT.interrupted : EXIT.done;
  } finally {
    await both?.stop();
    await provider.close();
    hold.release();
    if (flags.dataDir === undefined) {
      rmSync(folder, { recursive: true, force: true });
      say('the demo has ended: all that it made was removed');
    } else say(`the demo has ended: what it made stays in ${folder}`);
  }
}

/**
 * Speed of the scripted model: full speed for scripts, slow enough to follow for people, or as
 * requested.
 */
function paceOf({ once, thinkMs }: DemoFlags): Pace | undefined {
  const pace = once === true ? undefined : WATCHABLE;
  return thinkMs === undefined ? pace : { pauseMs: 0, ...pace, thinkMs };
}

function demoEnvironment(
  env: NodeJS.ProcessEnv,
  baseUrl: string,
  apiKey: string,
): NodeJS.ProcessEnv {
  const own = Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('SERVICE_') || KEPT.test(name)),
  );
  return {
    ...own,
    SERVICE_CONFIG__engine__model: MODEL,
    SERVICE_CONFIG__engine__provider__name: 'scripted',
    SERVICE_CONFIG__engine__provider__baseUrl: baseUrl,
    SERVICE_CONFIG__engine__provider__apiKey: apiKey,
    // No retries: an attempt of the demo that fails would fail again.
    SERVICE_CONFIG__agent__maxContinuationAttempts: '0',
  };
}

/** The reason why the demo has no pull request, and what to try. */
function explainFailure({ issue, attempts, sandbox }: DemoResult): string {
  const last = attempts[0];
  const why = last?.errorMessage ?? issue.reason ?? 'no reason was given';
  const next =
    sandbox === 'docker'
      ? `try it without Docker: ${commandText('demo --sandbox process', process.env)}`
      : `see what this machine lacks: ${commandText('doctor', process.env)}`;
  return `the demo ended without a pull request: ${issue.identifier} is ${issue.status}.\n  why: ${why}\n  next: ${next}\n`;
}

/** A sentence on the isolation of the demo. */
function sandboxText(sandbox: DemoResult['sandbox']): string {
  return sandbox === 'docker'
    ? 'shown in a locked container: no network of its own, and apart from the files of this machine'
    : 'shown as plain processes, which protect this machine from nothing; for containers start Docker and use --build-image';
}

function report({ pullRequest, issue }: DemoResult): void {
  process.stdout.write(
    pullRequest === null
      ? `no pull request: ${issue.status}, ${issue.reason ?? 'no reason given'}\n`
      : `pull request ${pullRequest.url} on ${pullRequest.branch} (${pullRequest.commitSha.slice(0, 12)})\n`,
  );
}
