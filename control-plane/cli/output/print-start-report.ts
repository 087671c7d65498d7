import type { ServiceClient } from '../client/service-client.ts';
import { CommandError } from '../client/command-error.ts';
import { localRunner } from '../offer-image.ts';
import { terminalText } from '../options/command-context.ts';

type StartReport = {
  url: string;
  dataDir: string;
  /** Command that signs a browser in; null: nobody is asked to. */
  signIn: string | null;
  hasRunner: boolean;
  /** Plain processes were asked for: then no warning tells of them. */
  wantsProcesses: boolean;
  client: Pick<ServiceClient, 'ask'>;
  say(line: string): void;
  signal: AbortSignal;
};

/** Four lines for people: where it is, where its data is, how agents are isolated, how to stop it. */
export async function printStartReport({
  url,
  dataDir,
  signIn,
  say,
  ...told
}: StartReport): Promise<void> {
  say(`Address      ${url}${signIn === null ? '' : ` (to sign in: ${signIn})`}`);
  say(`Data folder  ${terminalText(dataDir)}`);
  const isolation = await isolationText({ dataDir, ...told });
  if (isolation === null) return;
  say(`Isolation    ${isolation}`);
  say('Stop         Ctrl-C');
}

/** Null when it was stopped meanwhile. */
async function isolationText(
  told: Pick<StartReport, 'dataDir' | 'hasRunner' | 'wantsProcesses' | 'client' | 'signal'>,
): Promise<string | null> {
  if (!told.hasRunner) return 'no agents run here, as --no-runner says';
  try {
    const runner = await localRunner(told);
    if (runner === null) return 'not known: the runner has not connected';
    if (runner.isolation === 'docker') return 'agents run in Docker containers';
    return told.wantsProcesses
      ? 'none: agents run as plain processes, which protect this machine from nothing'
      : 'none, as the warning says';
  } catch (error) {
    if (told.signal.aborted) return null;
    // Of trouble with the service the service itself tells.
    if (error instanceof CommandError) return `not known: ${error.message}`;
    throw error;
  }
}
