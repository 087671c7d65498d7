import { repositoryRoot } from '../e2e/start-service.ts';

type Toolchain = { node: string; env(base: NodeJS.ProcessEnv): NodeJS.ProcessEnv };
type Signals = { attach(): void; checkpoint(): void };
type Build = (root: string, toolchain: Toolchain, signals: Signals) => Promise<void>;

/** Builds something of this checkout on the Node of the tests, unless it is current. */
export async function inTests(build: Build): Promise<void> {
  const toolchain = { node: process.execPath, env: (env: NodeJS.ProcessEnv) => env };
  // A signal ends the test run with everything it started; nothing has to be passed on.
  const signals = { attach: () => {}, checkpoint: () => {} };
  await build(repositoryRoot.replace(/\/$/, ''), toolchain, signals);
}
