import { buildPrograms } from '../../../control-plane/cli/build/build-programs.mjs';
import { repositoryRoot } from '../e2e/start-service.ts';

/** Vitest's global set-up: tests start the programs as users do, from dist/. */
export default async function setup(): Promise<void> {
  const toolchain = { node: process.execPath, env: (env: NodeJS.ProcessEnv) => env };
  // A signal ends the test run with everything it started; nothing has to be passed on.
  const signals = { attach: () => {}, checkpoint: () => {} };
  await buildPrograms(repositoryRoot.replace(/\/$/, ''), toolchain, signals);
}
