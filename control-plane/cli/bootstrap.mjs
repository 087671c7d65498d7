#!/usr/bin/env node
// Every npm script starts here: on any Node from 20 up this finds or fetches the Node that the
// project runs on, installs what the lock names, builds the dashboard and then runs the target.
// Standard output belongs to the target; everything said here goes to standard error.
import { BootstrapError } from './bootstrap/bootstrap-error.mjs';
import { buildDashboard } from './bootstrap/build-dashboard.mjs';
import { installDependencies } from './bootstrap/install-dependencies.mjs';
import { InterruptedError, runTarget, watchSignals } from './bootstrap/run-step.mjs';
import { resolveTarget } from './bootstrap/resolve-target.mjs';
import { ensureToolchain } from './bootstrap/ensure-toolchain.mjs';
import { projectRoot } from './bootstrap/project-root.mjs';
import { say } from './bootstrap/say.mjs';

async function main(argv) {
  const signals = watchSignals();
  const target = resolveTarget(projectRoot, argv);
  const toolchain = await ensureToolchain(projectRoot, signals);
  await installDependencies(projectRoot, toolchain, signals);
  if (target.needsDashboard) await buildDashboard(projectRoot, toolchain, signals);
  return runTarget(toolchain, target, signals);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof InterruptedError) {
    process.exitCode = error.exitCode;
  } else if (error instanceof BootstrapError) {
    say(error.message, 'fatal');
    process.exitCode = error.exitCode;
  } else {
    throw error;
  }
}
