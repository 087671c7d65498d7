import type { ServiceClient } from '../client/service-client.ts';
import { CommandError } from '../client/command-error.ts';
import { localRunner } from '../offer-image.ts';
import { terminalText } from '../options/command-context.ts';

type StartReport = {
  url: string;
  dataDir: string;
  /** Command that signs a browser in; null: the dashboard requires no sign-in. */
  signIn: string | null;
  hasRunner: boolean;
  /** Plain processes were requested, so no warning about them is printed. */
  wantsProcesses: boolean;
  client: Pick<ServiceClient, 'ask'>;
  say(line: string): void;
  signal: AbortSignal;
};

/**
 * Prints four lines for people: the address, the data folder, the isolation of agents, how to stop
 * the service.
 */
export async function printStartReport({
  url,
  dataDir,
  signIn,
  say,
  ...report
}: StartReport): Promise<void> {
  say(`Address      ${url}${signIn === null ? '' : ` (to sign in: ${signIn})`}`);
  say(`Data folder  ${terminalText(dataDir)}`);
  const isolation = await isolationText({ dataDir, ...report });
  if (isolation === null) return;
  say(`Isolation    ${isolation}`);
  say('Stop         Ctrl-C');
}

/** The isolation as text; null when the service was stopped meanwhile. */
async function isolationText(
  report: Pick<StartReport, 'dataDir' | 'hasRunner' | 'wantsProcesses' | 'client' | 'signal'>,
): Promise<string | null> {
  if (!report.hasRunner) return 'no agents run here, as --no-runner says';
  try {
    const runner = await localRunner(report);
    if (runner === null) return 'not known: the runner has not connected';
    if (runner.isolation === 'docker') return 'agents run in Docker containers';
    return report.wantsProcesses
      ? 'none: agents run as plain processes, which protect this machine from nothing'
      : 'none, as the warning says';
  } catch (error) {
    if (report.signal.aborted) return null;
    // The service reports its own problems itself.
    if (error instanceof CommandError) return `not known: ${error.message}`;
    throw error;
  }
}
