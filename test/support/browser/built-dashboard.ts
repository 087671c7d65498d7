import { buildDashboard } from '../../../control-plane/cli/build/build-dashboard.mjs';
import { repositoryRoot } from '../e2e/start-service.ts';

/** Builds dashboard/dist unless it is newer than its sources; one build however many ask at once. */
export async function builtDashboard(): Promise<void> {
  const toolchain = { node: process.execPath, env: (env: NodeJS.ProcessEnv) => env };
  // A signal ends the test run with everything it started; nothing has to be passed on.
  const signals = { attach: () => {}, checkpoint: () => {} };
  await buildDashboard(repositoryRoot.replace(/\/$/, ''), toolchain, signals);
}
